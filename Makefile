# The commands of the README. `make demo` and `make test` need nothing but a Rust toolchain and Python 3.

.PHONY: demo pictures figures test test-all built environments rust extending pycanon persons report python installs campaign lint docs pages book regenerate schema algorithms surface snapshots papers wheel package fuzz mutations mutants planted advisories notices sbom bench bench-engine bench-microaggregation bench-python clean

# Builds, anonymizes the bundled Adult table and shows the result.
demo:
	cargo build --release --package amidst-cli
	./target/release/amidst demo --dir target/demo

# The pictures in the documents: docs/demo.svg, and docs/report.png where there is Chromium.
pictures:
	cargo build --release --package amidst-cli
	$$(./tests/venv.sh pictures docs/picture.txt)/bin/python docs/picture.py target/release/amidst

# What the README shows and quotes: its pictures, the recognizers' figures, and the test that all numbers in it are those of their sources. The
# figures of docs/figures that take minutes to hours are made by the commands that stand there: `make bench-engine` (the 37 % on Adult), and the
# command in docs/figures/time.md (the 5.7 seconds).
figures: pictures
	cargo test --package amidst-cli --test suite -- --nocapture evening::recognizers
	cargo test --package amidst-cli --test suite -- figures_in_the_readme picture_in_the_readme

# Everything that must hold: lints, tests, the commands in the documentation, the toys of docs/extending.md, the checks by pycanon and of
# persons, the reports in a browser, the Python package. First all is built, while pip fills the environments of Python. Then two checks run
# side by side, so that none of two cores waits for the last test of a suite; each prints what it has to say when it ends.
test: installs
	./tests/strace.sh
	$(MAKE) --jobs=2 --output-sync=line built environments
	$(MAKE) --jobs=2 --output-sync=target rust extending pycanon persons report python

# Cargo builds one thing at a time.
built:
	$(MAKE) lint
	$(MAKE) docs
	cargo test --workspace $(SUITES) --no-run
	cargo test --workspace $(UNITS) --no-run
	cargo build --workspace --lib

# The library with optimization takes several times as long to compile. Its unit tests, which are a second compilation of it, need none.
SUITES = --bins --test '*'
UNITS = --lib --config profile.dev.package.amidst.opt-level=0

environments:
	./tests/venv.sh pycanon tests/pycanon/requirements.txt
	./tests/venv.sh python crates/amidst-py/tests/requirements.txt
	./tests/venv.sh report tests/report/requirements.txt

# A clean clone builds once, so it writes no files for the next build of the library. What that saves was not measured.
ifeq ($(wildcard $(or $(CARGO_TARGET_DIR),target)/debug/incremental),)
test test-all: export CARGO_INCREMENTAL = 0
endif

rust:
	cargo test --workspace $(UNITS)
	cargo test --workspace $(SUITES)
	cargo test --workspace --doc
extending:
	./tests/extending/run.py

# The checks that are written in Python, each in an environment of its own. They need what `cargo test` builds.
pycanon:
	./tests/pycanon/run.sh target/debug/amidst
persons:
	./tests/persons/run.sh target/debug/amidst
report:
	./tests/report/run.sh target/debug/amidst
python:
	./crates/amidst-py/tests/run.sh target/debug/amidst

# The same, with every combination of partitioners, measures, tables and forms where `make test` tries every pair of them, with the whole
# Adult table where `make test` takes a sample, and with the engine's usual effort and three seeds where one start or one seed does.
test-all:
	AMIDST_ALL_CASES=1 $(MAKE) test

installs:
	@echo "make test installs, where they are missing: Python packages into target/*-venv, and as root strace, chromium and fonts-dejavu-core by apt-get."

# Runs that are killed, stopped, starved of disk or crowded at more than a thousand points, with a table of how they ended. Takes half an
# hour to an hour.
campaign:
	./tests/strace.sh
	cargo test --package amidst-cli --test suite campaign -- --ignored --test-threads 1

# What users get, without the internals that tests see. All three together, because then what they depend on is as in the whole workspace, and
# is not compiled again.
PUBLIC = --package amidst --package amidst-cli --package amidst-py

# The second look at what users get finds what only tests use, and types that a user sees and cannot name.
lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings
	cargo clippy $(PUBLIC) -- --deny warnings

docs: pages
	./tests/surface/check.py

pages:
	rm -rf target/doc/amidst
	RUSTDOCFLAGS="--deny warnings" cargo doc $(PUBLIC) --no-deps

# The documents as a site with search, in target/book. Installs mdBook into target/tools where it is not there yet; that alone needs the network.
MDBOOK = 0.5.4
PAGES = README.md DESIGN.md CHANGELOG.md THIRD-PARTY.md data/adult/README.md data/visits/README.md
book: target/tools/bin/mdbook
	rm -rf target/book-src
	mkdir -p target/book-src
	tar -cf - docs $(PAGES) | tar -xf - -C target/book-src
	# The list of pages is relative to docs/, that of the site to its root.
	sed 's|](|](docs/|; s|](docs/\.\./|](|' docs/SUMMARY.md > target/book-src/SUMMARY.md
	rm target/book-src/docs/SUMMARY.md target/book-src/docs/picture.py target/book-src/docs/picture.txt
	target/tools/bin/mdbook build
	@echo "open target/book/index.html"

target/tools/bin/mdbook:
	@echo "installing mdBook $(MDBOOK) into target/tools"
	cargo install mdbook --version $(MDBOOK) --root target/tools --locked --no-default-features --features search

# The Python package as a wheel, in target/wheels.
wheel:
	python3 -m venv target/wheel-venv
	target/wheel-venv/bin/python -m pip install --quiet --disable-pip-version-check maturin==1.16.0
	target/wheel-venv/bin/maturin build --release --manifest-path crates/amidst-py/Cargo.toml

# The command line with what belongs beside it, in target/package.
package: sbom
	cargo build --release --package amidst-cli
	mkdir -p target/package
	cp target/release/amidst LICENSE THIRD-PARTY.md target/sbom.cdx.json target/package

# Fuzzes every target for SECONDS, one after the other (needs nightly Rust and cargo-fuzz). `make test` replays the seeds without both.
SECONDS = 300
fuzz:
	./fuzz/run.sh $(SECONDS) $(TARGETS)

# Tries so many random mutations of a target's seeds and corpus: `make mutations TARGET=cells INPUTS=1000000 NUMBER=2`. Another
# number makes other inputs. Needs stable Rust alone.
INPUTS = 1000000
NUMBER = 1
mutations:
	cargo run --release --package amidst-trials --bin mutate -- $(TARGET) $(INPUTS) $(NUMBER)

# Mutates the library in some two thousand ways and counts who notices. Builds all mutants once (needs cargo-mutants, which lists them).
# `make mutants FLAGS='--sample 200'` tries so many.
mutants:
	./tests/mutants/run.py $(FLAGS)

# Plants known bugs one by one; the scenarios must notice each.
planted:
	./tests/mutants/planted.py

# Licences, bans and sources as `make test` has them, and known holes in crates, too (needs cargo-deny and the network).
advisories:
	cargo deny check

# The licences of the crates in the packages, into THIRD-PARTY.md.
notices:
	cargo build --quiet --workspace --bins
	$(DEBUG)/supply notices > target/THIRD-PARTY.md
	mv target/THIRD-PARTY.md THIRD-PARTY.md

# What the packages are made of, as CycloneDX, into target/sbom.cdx.json.
sbom:
	mkdir -p target
	cargo run --quiet --package amidst-trials --bin supply -- sbom > target/sbom.cdx.json

# Every trial of docs/papers.md: prints its figures and draws its pictures. Takes hours; FLAGS='--only seq-table2 --seeds 1' is shorter,
# FLAGS=--list names the trials. `make papers DATA=FOLDER` has the table that does not come with the project, too.
papers:
	cargo run --release --package amidst-bench -- papers $(if $(DATA),--data '$(DATA)') $(FLAGS)

# Everything in the repository that is made from the code, for example after a merge. Not the fingerprints of releases: where they change,
# releases change, which somebody has to mean (crates/amidst/tests/suite/fingerprints.rs). Each of these targets builds the whole workspace,
# because a package on its own has other features, and the library would be compiled again.
regenerate: schema algorithms surface snapshots notices

# What the JSON forms look like, into docs/schema/.
schema:
	cargo build --quiet --workspace --bins
	for command in $(SCHEMAS); do $(DEBUG)/amidst schema $$command > docs/schema/$$command.json || exit; done
SCHEMAS = anonymize dry-run public-report audit explain measure attack compare bound risk
DEBUG = $(or $(CARGO_TARGET_DIR),target)/debug

# The lists of partitioners, measures, models, forms and attacks, into docs/algorithms.md.
algorithms:
	AMIDST_WRITE_DOCS=1 cargo test --quiet --workspace --test suite -- algorithms::the_page_is_that_of_the_lists

# The public items of the library, into tests/surface/items.txt.
surface: pages
	./tests/surface/check.py --write

# The texts of `--help` and the plan of `init` that tests compare, into crates/amidst-cli/tests/suite/snapshots/.
snapshots:
	rm -rf crates/amidst-cli/tests/suite/snapshots
	INSTA_UPDATE=always cargo test --quiet --workspace --test suite -- help:: init::

# Time and loss of every partitioner against a plain reference, and a peer where Python has it.
bench:
	cargo run --release --package amidst-bench -- partitioners --peer

# The engine against plain Algorithm 1, the other partitioners and its goals. `make bench-engine DATA=FOLDER`
# has the tables that do not come with the project, too; ENGINE and FLAGS set more: FLAGS='--only sets --seeds 1'.
ENGINE = engine
bench-engine:
	cargo run --release --package amidst-bench -- engine --engine '$(ENGINE)' $(if $(DATA),--data '$(DATA)') $(FLAGS)

# The squared error of centres by MDAV, microaggregation and the engine. `make bench-microaggregation DATA=FOLDER` has the tables of the
# papers, too, which do not come with the project: tarragona.csv, census.csv and eia.csv.
bench-microaggregation:
	cargo run --release --package amidst-bench -- microaggregation $(if $(DATA),--data '$(DATA)') $(FLAGS)

# A million rows of Adult in Python against the command line; `make bench-python TABLE=FILE FLAGS='--quasi a,b'` takes another table.
TABLE = data/adult/adult.csv.gz
bench-python: wheel
	cargo build --release --package amidst-cli
	target/wheel-venv/bin/python -m pip install --quiet --disable-pip-version-check pandas==3.1.1 pyarrow==26.0.1
	target/wheel-venv/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/amidst-*.whl
	target/wheel-venv/bin/python bench/python.py target/release/amidst $(TABLE) $(if $(FLAGS),$(FLAGS),--quasi age,workclass,education-num,marital-status,race,sex --sensitive occupation)

clean:
	cargo clean
