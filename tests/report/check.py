"""Opens the reports of amidst in a browser and holds their numbers against the JSON form, and that against its schema."""

import hmac
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
from playwright.sync_api import sync_playwright

BINARY, FOLDER, BROWSER = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
ADULT = Path("data/adult")
COLUMNS = "--quasi age,education-num,native-country,sex --sensitive occupation --identifier fnlwgt".split()
ABOUT = "--about organisation=Bureau --about recipient=University --profile hipaa,gdpr --profile ema,iso27559".split()
# Desktop, telephone, and a small telephone.
SCREENS = [(1280, 900), (390, 844), (360, 740)]


def amidst(*arguments, code=0):
    """What a command prints."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stdout


def strict(schema):
    """The schema, made to refuse what it does not name."""
    if isinstance(schema, dict):
        schema = {key: strict(value) for key, value in schema.items()}
        if "properties" in schema and "additionalProperties" not in schema:
            schema["unevaluatedProperties"] = False
        return schema
    return [strict(part) for part in schema] if isinstance(schema, list) else schema


def conforms(command, value):
    """Checks a JSON form against the schema in the documentation, and that against the one of the program."""
    stored = json.loads(Path(f"docs/schema/{command}.json").read_text())
    assert stored == json.loads(amidst("schema", command)), f"docs/schema/{command}.json is old: run `make schema`"
    # Parts that are written into their parent are named there, so only the root is strict about its own names.
    definitions = stored.get("$defs", {})
    checked = {**strict({k: v for k, v in stored.items() if k != "$defs"}), "$defs": {**definitions}}
    jsonschema.Draft202012Validator(checked).validate(value)
    print(f"  {command}: as its schema says")


def at(value, pointer):
    """What a JSON pointer points to."""
    for key in pointer.split("/")[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def shown(text):
    """The number that people read, and half a unit of its last digit; None where it is in words. A reason of the verdict is a sentence."""
    if sentence := re.search(r"(below |over )?[\d.,]+ %(?= of the )", text):
        text = sentence[0]
    factor = 0.01 if text.endswith("%") else 1.0
    digits = text.removesuffix("%").strip().replace(",", "")
    try:
        number = float(digits)
    except ValueError:
        assert text.startswith(("below", "over")), text
        return None
    places = len(digits.split(".")[1].split("e")[0]) if "." in digits else 0
    if "e" in digits:
        return number, abs(number) * 1e-3
    return number * factor, 0.5 * 10.0**-places * factor * 1.0001


def facts(page, form, least):
    """Checks that every number on the page is that of the JSON form."""
    found = page.eval_on_selector_all(
        "data[data-fact]", "all => all.map(d => [d.dataset.fact, d.value, d.textContent])"
    )
    assert len(found) >= least, len(found)
    for pointer, value, text in found:
        true = at(form, pointer)
        assert float(value) == float(true), (pointer, value, true)
        read = durations(text) or shown(text)
        assert read is None or abs(read[0] - true) <= read[1] + 1e-12, (pointer, text, true)
    print(f"  {len(found)} numbers on the page are those of the JSON form")


def charts(page, least):
    """Checks that charts are drawn, are named, and that their texts keep clear of each other and of the edges."""
    found = page.eval_on_selector_all(
        "figure svg",
        """all => all.map(svg => {
            const frame = svg.getBoundingClientRect();
            const boxes = [...svg.querySelectorAll("text")].map(t => [t.textContent.trim(), t.getBoundingClientRect()]);
            const bad = [];
            boxes.forEach(([name, a], i) => {
                if (a.left < frame.left - 2 || a.right > frame.right + 2 || a.top < frame.top - 3 || a.bottom > frame.bottom + 3)
                    bad.push(`"${name}" is cut off`);
                boxes.slice(i + 1).forEach(([other, b]) => {
                    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                    if (wide > 1.5 && high > 3) bad.push(`"${name}" lies over "${other}"`);
                });
            });
            const title = svg.querySelector("title")?.textContent ?? "";
            const shapes = svg.querySelectorAll("rect, polyline, circle, path").length;
            return [title, svg.getAttribute("role"), frame.width, frame.height, shapes, boxes.length, bad];
        })""",
    )
    assert len(found) >= least, [chart[0] for chart in found]
    for title, role, width, height, shapes, texts, bad in found:
        assert title and role == "img", title
        assert width > 150 and height > 50 and shapes > 0 and texts > 1, (title, width, height, shapes, texts)
        assert not bad, (title, bad)
    return len(found)


def durations(text):
    """A time in words in seconds, with half a unit of its last digit; None where it is none."""
    number, _, unit = text.partition(" ")
    factor = {"ms": 0.001, "s": 1.0}.get(unit)
    if factor is None:
        return None
    places = len(number.split(".")[1]) if "." in number else 0
    return float(number) * factor, 0.5 * 10.0**-places * factor * 1.0001


def readable(page, width):
    """What does not fit a narrow screen: tables scroll within their card, and fingerprints break into lines that are all to be seen."""
    hashes = page.eval_on_selector_all("td.hash", "all => all.map(t => [t.textContent.trim(), t.getBoundingClientRect().right])")
    cut = [digits for digits, right in hashes if digits and right > width]
    assert not cut, f"{len(cut)} fingerprints run off a screen of {width}"
    wide = page.eval_on_selector_all(
        ".scroll", "all => all.filter(s => s.getBoundingClientRect().right > innerWidth + 1).map(s => s.textContent.slice(0, 60))"
    )
    assert not wide, wide


def on_paper(page):
    """Everything that is folded on the screen is open on paper."""
    page.emulate_media(media="print")
    shut = page.eval_on_selector_all(
        "details", "all => all.filter(d => [...d.children].some(c => c.localName !== 'summary' && !c.checkVisibility({contentVisibilityAuto: true})"
        " || c.getBoundingClientRect().height === 0)).map(d => d.textContent.slice(0, 60))",
    )
    count = page.eval_on_selector_all("details", "all => all.length")
    assert count and not shut, shut
    page.emulate_media(media="screen")
    return count


def opened(browser, file, form, numbers, pictures):
    """Looks at a page on every screen, in both colours, and on paper."""
    for width, height in SCREENS:
        for scheme in ["light", "dark"]:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            asked, problems = [], []
            page.on("request", lambda request: asked.append(request.url))
            page.on("console", lambda message: problems.append(message.text))
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.goto(file.resolve().as_uri())
            assert len(asked) == 1 and not problems, (asked, problems)
            drawn = charts(page, pictures)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{file.name} is {wide} wide on a screen of {width}"
            if width < 640:
                readable(page, width)
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            print(f"  {file.name}, {width} wide, {scheme} ({paper}): {drawn} charts")
            if scheme == "light" and width == SCREENS[0][0]:
                facts(page, form, numbers)
                print(f"  {on_paper(page)} folded parts are open on paper")
                pdf = page.pdf(format="A4")
                assert pdf.startswith(b"%PDF") and len(pdf) > 20_000, len(pdf)
            context.close()


def sorts(browser, file):
    """Checks that a pressed heading sorts the runs."""
    page = browser.new_page()
    page.goto(file.resolve().as_uri())
    column = "#runs table tbody tr td:last-child data"
    values = lambda: [float(v) for v in page.eval_on_selector_all(column, "all => all.map(d => d.value)")]
    page.click("#runs th:last-child button")
    rising = values()
    page.click("#runs th:last-child button")
    assert rising == sorted(rising) and values() == rising[::-1] and len(set(rising)) > 1, rising
    print(f"  {file.name}: sorts")


def visits():
    """Reports about visits of persons with several rows: one run counts rows, the other persons. Returns each page with its JSON form."""
    table = FOLDER / "visits.csv"
    table.write_bytes(subprocess.run([sys.executable, "tests/persons/visits.py"], capture_output=True, check=True).stdout)
    columns = ["--quasi", "birth,sex,zip", "--sensitive", "dx", "--others", "drop", "--k", 5]
    made = []
    for name, who in [("rows", ["--identifier", "pid,household,visit"]), ("persons", ["--identifier", "household,visit", "--person", "pid"])]:
        files = [flag for form in ["html", "json"] for flag in ["--report", FOLDER / f"{name}.{form}"]]
        files += [flag for form in ["html", "json"] for flag in ["--public-report", FOLDER / f"{name}-public.{form}"]]
        amidst("anonymize", table, "-o", FOLDER / f"{name}.csv", *columns, *who, *files, "--effort", "fast")
        report = json.loads((FOLDER / f"{name}.json").read_text())
        conforms("anonymize", report)
        plan = ["--plan", FOLDER / f"{name}.plan.toml"]
        conforms("audit", json.loads(amidst("audit", FOLDER / f"{name}.csv", *plan, "--original", table, "--json")))
        conforms("risk", json.loads(amidst("risk", table, *plan, "--json")))
        conforms("attack", json.loads(amidst("attack", table, FOLDER / f"{name}.csv", *plan, "--attacks", "linking", "--json")))
        public = json.loads((FOLDER / f"{name}-public.json").read_text())
        conforms("public-report", public)
        made += [(FOLDER / f"{name}.html", report, 80, 5), (FOLDER / f"{name}-public.html", public, 10, 1)]
    rows, persons = made[0][1], made[2][1]
    assert rows["warnings"] and not persons["warnings"] and persons["people"]["persons"] == 400
    page = made[0][0].read_text()
    assert 'class="verdict amber"' in page and "--person pid" in page
    assert "Verified: all requirements are met" in made[2][0].read_text()
    return made


def main():
    release = ["anonymize", ADULT / "adult.csv.gz", "-o", FOLDER / "release.csv", *COLUMNS, "--k", 10, "--l", 3]
    hierarchy = ["--hierarchy", f"native-country={ADULT}/hierarchies/native-country.csv"]
    reports = [*ABOUT, *(flag for form in ["html", "json", "txt"] for flag in ["--report", FOLDER / f"report.{form}"])]
    reports += [flag for form in ["html", "json", "txt"] for flag in ["--public-report", FOLDER / f"public.{form}"]]
    printed = json.loads(amidst(*release, *hierarchy, *reports, "--json", "--quiet"))
    report = json.loads((FOLDER / "report.json").read_text())
    assert printed == report
    public = json.loads((FOLDER / "public.json").read_text())
    plan = ["--plan", FOLDER / "release.plan.toml"]
    both = [ADULT / "adult.csv.gz", FOLDER / "release.csv", *plan, "--json"]
    compared = ["compare", ADULT / "adult.csv.gz", *COLUMNS, "--k", "10,25", "--l", "2,3", "--rows", "2000,6000"]
    compared += ["--algorithms", "engine(effort=fast),mondrian", "--measures", "lm,query(queries=20)"]
    compared += ["--report", FOLDER / "compare.html", "--json", "--quiet"]
    comparison = json.loads(amidst(*compared))

    print("JSON forms")
    conforms("anonymize", report)
    conforms("public-report", public)
    conforms("audit", json.loads(amidst("audit", both[1], *plan, "--original", both[0], "--json")))
    conforms("explain", json.loads(amidst("explain", both[1], "--row", "17", "--column", "age", "--original", both[0], "--json")))
    conforms("dry-run", json.loads(amidst("anonymize", both[0], "--dry-run", *plan, "--json")))
    conforms("measure", json.loads(amidst("measure", *both, "--measures", "quick")))
    conforms("attack", json.loads(amidst("attack", *both, "--attacks", "linking,homogeneity")))
    conforms("compare", comparison)
    small = ["--quasi", "sex,race", "--k", "10", "--json", "--quiet"]
    conforms("risk", json.loads(amidst("risk", ADULT / "adult.csv.gz", "--sample", "5%", "--json", "--quiet")))
    conforms("bound", json.loads(amidst("bound", ADULT / "adult.csv.gz", *small)))

    # Of the 41 countries of the table, one has a single record; nobody may read that off the report.
    countries = next(c for c in report["details"]["columns"] if c["name"] == "native-country")["distribution"]
    assert all(value["before"] >= 10 for value in countries["values"]), countries
    assert countries["other"]["before"] >= 10, countries
    text = (FOLDER / "report.txt").read_text()
    assert report["details"]["files"][1]["sha256"] in text
    digest = subprocess.run(["sha256sum", FOLDER / "release.csv"], capture_output=True, text=True).stdout.split()[0]
    assert report["details"]["files"][1]["sha256"] == digest

    # What recipients get tells neither the seed, nor the key, nor the input to the last bit.
    secrets = [str(report["seed"]), report["fingerprint_key"], report["details"]["files"][0]["sha256"]]
    for form in ["html", "json", "txt"]:
        internal, given = (FOLDER / f"report.{form}").read_text(), (FOLDER / f"public.{form}").read_text()
        assert all(secret in internal for secret in secrets), form
        assert not any(secret in given for secret in secrets), form
    key = bytes.fromhex(report["fingerprint_key"])
    keyed = hmac.new(key, (ADULT / "adult.csv.gz").read_bytes(), "sha256").hexdigest()
    assert public["files"][0] == {"what": "input", "hmac_sha256": keyed}, public["files"]

    of_persons = visits()
    if not BROWSER:
        return
    print("pages")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    flags += ["--disable-component-update", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=flags)
        opened(browser, FOLDER / "report.html", report, numbers=150, pictures=10)
        opened(browser, FOLDER / "public.html", public, numbers=15, pictures=1)
        opened(browser, FOLDER / "compare.html", comparison, numbers=50, pictures=5)
        for file, form, numbers, pictures in of_persons:
            opened(browser, file, form, numbers, pictures)
        sorts(browser, FOLDER / "compare.html")
        browser.close()


main()
