"""A file that writes every key of the contract, and a reader that serves them all."""

import tomllib

from gitsched.config.lines import key_lines
from gitsched.config.reading import read_record
from gitsched.config.settings import Settings
from gitsched.config.spot import Spot

# The block of the interface contract, every alternative taken that is not the default.
EVERY_KEY = """
[project]
target = "trunk"
forge = "github"
remote = "origin"
anchor = "issue"
[slots]
max = 8
per_host = 4
[batch]
max_members = 12
member_parallelism = 3
default_priority = 5
max_full_review = 1
seal_after = "10m"
dissolve = { fraction = 0.5, floor = 2 }
[admission]
unknown_files = "exclusive"
overtaken = 5
overtaken_for = "1h"
[dispatch]
backend = "command"
command = ["sbatch", "worker.sh", "{run}"]
start_timeout = "20m"
ttl = "90s"
[agents]
default = "mine"
[agents.mine]
command = ["agent", "--model", "{model}", "{prompt_file}"]
prompt = "Do {{ issue.title }}"
env = ["API_KEY"]
completion = "exit"
usage = "codex-json"
timeout = "1h"
output = "1MiB"
closing_commit = "require-clean"
mode = "sequential"
hold = true
tier = "strong"
[agents.mine.tiers.mechanical]
command = "small {model}"
model = "tiny"
prompt = "Quick: {{ issue.title }}"
[worktrees]
dir = "../trees"
pool = 2
keep = [".tox"]
setup = [["npm", "ci"], "make deps"]
copy = [".env.test"]
[[gates]]
name = "unit"
run = "pytest -q --junitxml={report}"
kind = "test"
evidence = "exit"
env = ["CI"]
report = "junit"
timeout = "5m"
[[gates]]
name = "lint"
run = ["make", "lint"]
kind = "check"
[suite]
run = ["pytest", "--junitxml={report}"]
report = "junit"
rerun = ["pytest", "{tests}"]
ids = "file"
evidence = "exit"
env = ["CI"]
timeout = "1h"
flaky = "block"
base_red = "excuse"
coverage = "coverage.json"
[bisect]
confirm = 5
parallel = 2
[fix]
agent = "mine"
tier = "strong"
[review]
agent = "claude"
tier = "mid"
[report]
agent = "codex"
tier = "mechanical"
[stall]
timeout = "10m"
takeover = "5m"
kill_grace = "0s"
phases = { implement = "2h", plan = "5m" }
[ladder]
recoveries = 1
member_recoveries = 1
[land]
strategy = "squash"
conflict = "evict"
neutralise_closing = true
guards = { size = "1GiB", deletions = 1 }
[evict]
strategy = "revert"
[ship]
merge = "label:ready"
method = "squash"
draft = "never"
labels = ["batch"]
allow_squash = true
[milestones]
formats = ["gitsched", "runstate"]
[deploy]
env = ["CLOUD_TOKEN"]
environment = "production"
check = ["./healthy"]
timeout = "5m"
[watch]
interval = "1m"
check_start = "1h"
[labels]
block = ["epic"]
interval = "1m"
[budget]
unknown = "block"
run = { usd = 1, tokens = 1000, turns = 5, runs = 1, agent_time = "1h", suite_runs = 2 }
member.usd = 2.5
batch.runs = 9
[budget.day]
usd = 50
[budget.profile.mine]
tokens = 1
[schedule]
tz = "Europe/Berlin"
harvest = "auto"
[notify]
command = ["notify-send", "gitsched"]
env = ["HOOK"]
url = "https://example.org/hook"
events = ["failed"]
[github]
repository = "owner/name"
repositories_dir = "/srv/clones"
api_url = "https://github.example.org/api/v3"
token_env = "GH_TOKEN"
app_id = 17
private_key_file = "app.pem"
webhook_secrets_env = ["HOOK_SECRET", "HOOK_SECRET_OLD"]
batch_milestone = "release/*"
commands = { ship = "admin" }
dashboard_token_env = "DASHBOARD_TOKEN"
[webhook]
max_live = 10
disabled = true
[evidence]
text = true
log = "2MiB"
keep = "30d"
sign_key = "signing.pem"
keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada@example.org"]
[follow_up]
enabled = true
[disk]
floor = "0B"
[store]
fsync = false
compact_after = "7d"
pushes_per_minute = 0
publish = true
"""


def read(text: str) -> Settings:
    """Read tables as a version would that serves all of them."""
    return read_record(Settings, tomllib.loads(text), Spot("gitsched.toml", key_lines(text)))
