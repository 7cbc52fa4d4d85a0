"""What the tests share."""

import pandas as pd
import pytest

import amidst


def people_rows():
    """Twelve people of whom everybody knows age, zip and sex."""
    return {
        "name": ["Ann", "Bob", "Cem", "Dee", "Eva", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lou"],
        "age": [34, 36, 51, 58, 35, 55, 33, 54, 57, 37, 32, 53],
        "zip": ["75275", "75277", "75275", "10115", "75271", "10117", "75277", "10115", "10119", "75271", "75277", "10117"],
        "sex": ["F", "F", "M", "M", "F", "M", "F", "M", "M", "F", "F", "M"],
        "disease": ["flu", "cold", "flu", "gout", "gout", "cold", "flu", "cold", "flu", "cold", "gout", "gout"],
    }


@pytest.fixture
def people():
    return pd.DataFrame(people_rows())


@pytest.fixture(autouse=True)
def _examples(doctest_namespace):
    doctest_namespace["amidst"] = amidst
    doctest_namespace["people"] = pd.DataFrame(people_rows())
