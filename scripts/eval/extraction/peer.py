"""Reads paths of HTML files, one per line; prints the text trafilatura extracts, as JSON lines."""
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
