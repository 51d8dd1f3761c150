"""``regicide check-ruleset``: the laws that every ruleset must keep, as a command and as a pytest plugin."""
