"""Reads lines "RULE START". Prints the first eight dates of each rule after its start, by python-dateutil."""

import sys
from datetime import datetime
from itertools import islice

from dateutil.rrule import rrulestr

for line in sys.stdin:
    rule, start = line.split()
    first = datetime.strptime(start, "%Y-%m-%d")
    dates = islice(rrulestr(rule, dtstart=first).xafter(first), 8)
    print(",".join(date.strftime("%Y-%m-%d") for date in dates))
