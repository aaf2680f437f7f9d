"""Reads paths of HTML files, one a line; prints what trafilatura makes of each, one JSON a line."""
import json
import sys

import trafilatura

for line in sys.stdin:
    with open(line.rstrip('\n'), encoding='utf-8') as file:
        source = file.read()
    # The settings that openground uses.
    text = trafilatura.extract(source, output_format='markdown', include_formatting=True,
                               include_links=True, include_images=True, include_tables=True)
    print(json.dumps(text or ''), flush=True)
