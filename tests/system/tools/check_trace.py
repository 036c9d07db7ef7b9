#!/usr/bin/env python3
"""Checks a Chrome trace of the sample as a viewer would need it: every event is in a named row, each stream of a rank
has a row that says whose it is, the pieces of a row nest, and every wait that ended well has exactly one incoming
arrow.

check_trace.py <trace.json>
"""
import collections
import json
import sys


def check_rows(events, problems):
    names = collections.Counter((event["pid"], event["tid"]) for event in events if event.get("name") == "thread_name")
    problems += [f"row {row} is named {count} times" for row, count in names.items() if count != 1]
    used = {(event["pid"], event["tid"]) for event in events if event["ph"] != "M"}
    problems += [f"row {row} has events and no name" for row in used - set(names)]


def check_nesting(operations, problems):
    rows = collections.defaultdict(list)
    for event in operations:
        rows[event["pid"], event["tid"]].append((event["ts"], -event["dur"], event["name"]))
    for row, pieces in rows.items():
        open_ends = []
        for start, negative, name in sorted(pieces):
            end = start - negative
            while open_ends and open_ends[-1] <= start + 1e-6:
                open_ends.pop()
            if open_ends and end > open_ends[-1] + 1e-6:
                problems.append(f"row {row}: '{name}' at {start} ends after the piece around it")
            open_ends.append(end)
    return rows


def check_arrows(events, operations, problems):
    starts = collections.Counter(event["id"] for event in events if event["ph"] == "s")
    problems += [f"arrow {arrow} begins {count} times" for arrow, count in starts.items() if count != 1]
    begin = {event["id"]: event["ts"] for event in events if event["ph"] == "s"}
    ends = [event for event in events if event["ph"] == "f"]
    ended = collections.Counter(event["id"] for event in ends)
    problems += [f"arrow {arrow} ends {count} times" for arrow, count in ended.items() if count != 1]
    for event in ends:
        if event["id"] not in begin:
            problems.append(f"arrow {event['id']} ends at {event['ts']} and begins nowhere")
        elif begin[event["id"]] > event["ts"]:
            problems.append(f"arrow {event['id']} ends before it begins")
    waits = [event for event in operations if event["name"] == "notify wait" and event["args"]["outcome"] == "ok"]
    for wait in waits:
        incoming = [end for end in ends if (end["pid"], end["tid"]) == (wait["pid"], wait["tid"])
                    and wait["ts"] - 1e-6 <= end["ts"] <= wait["ts"] + wait["dur"] + 1e-6]
        if len(incoming) != 1:
            problems.append(f"the wait at {wait['ts']} has {len(incoming)} incoming arrows")
    return len(waits)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file)
    events = trace["traceEvents"]
    operations = [event for event in events if event["ph"] == "X"]
    problems = []
    check_rows(events, problems)
    rows = check_nesting(operations, problems)
    waits = check_arrows(events, operations, problems)
    if trace["otherData"]["dropped"] != 0:
        problems.append(f"{trace['otherData']['dropped']} events were dropped")
    labels = {event["args"]["name"] for event in events if event.get("name") == "thread_name"}
    problems += [f"no row is called '{label}'" for label in (f"rank {rank}/AICPU thread" for rank in range(4))
                 if not any(name.startswith(label) for name in labels)]
    # Four ranks: each has its own stream and the stream of a communicator's thread; each operation waits four times.
    if len(rows) < 8 or waits < 16:
        problems.append(f"only {len(rows)} rows with operations and {waits} waits")
    for problem in problems:
        print(f"check_trace.py: {problem}")
    print(f"{len(rows)} rows, {len(operations)} operations, {waits} waits")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
