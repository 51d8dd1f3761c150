"""A bot that plays any legal action: ``regicide bot ... --exec "python3 bot.py"``."""

import json
import random
import sys

for line in map(json.loads, sys.stdin):
    if "ended" in line:
        print("I have won." if line["ended"]["won"] else "I haven't won.", file=sys.stderr)
    elif "error" in line:
        print(line["error"]["detail"], file=sys.stderr)
    else:
        print(json.dumps(random.choice(line["actions"])["text"]), flush=True)
