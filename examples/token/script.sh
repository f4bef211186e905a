#!/usr/bin/env bash
# A script without a browser and a cookie: TASKGATE_TOKEN=tg_… bash examples/token/script.sh
set -euo pipefail
api() {
  curl -sS --fail-with-body --retry 5 -H "Authorization: Bearer $TASKGATE_TOKEN" -H 'Content-Type: application/json' "$@"
}
url="${TASKGATE_URL:-http://127.0.0.1:3000}/api/v2/todo"
echo "listed: $(api "$url" | grep -o '"title"' | wc -l)"
echo "added: $(api "$url" -d '{"title": "Buy milk"}' | sed 's/.*"title":"\([^"]*\)".*/\1/')"
