"""What the package brings beside its code."""

from importlib.metadata import metadata


def test_the_licences_of_others_are_in_the_package() -> None:
    assert metadata("amidst").get_all("License-File") == ["LICENSE", "THIRD-PARTY.md"]
