#!/usr/bin/env bash
# Lists, adds, repeats and completes tasks, and follows what happens to them.
#
#   TASKGATE_URL=http://127.0.0.1:3000 TASKGATE_EMAIL=… TASKGATE_PASSWORD=… bash examples/curl/tour.sh
set -euo pipefail

url="${TASKGATE_URL:-http://127.0.0.1:3000}"
cookies="$(mktemp)"
events="$(mktemp)"
trap 'kill $(jobs -p) 2>/dev/null || true; rm -f "$cookies" "$events"' EXIT

# --fail-with-body: the answer is shown, and an error ends the script. --retry retries what is answered by 429 or 503,
# and keeps to Retry-After.
api() {
  local path=$1
  shift
  curl -sS --fail-with-body --retry 5 -b "$cookies" -c "$cookies" -H 'Content-Type: application/json' "$@" "$url$path"
}
# A field of an answer; `jq -r .todo.id` where there is jq.
field() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }

api /api/v1/user/signin -d "{\"email\": \"$TASKGATE_EMAIL\", \"password\": \"$TASKGATE_PASSWORD\"}" >/dev/null

# Every change from now on, one event each; -N shows them as they come. Last-Event-ID continues after one of them.
cursor="$(api /api/v2/changes | field cursor)"
curl -sSN -b "$cookies" -H "Last-Event-ID: $cursor" "$url/api/v2/events" >"$events" &

# With an Idempotency-Key it is safe to send a request again: the answer is the first one's, and there is one task.
key="$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)"
task="$(api /api/v2/todo -H "Idempotency-Key: $key" -d '{"title": "Buy milk"}' | field id)"
api /api/v2/todo -H "Idempotency-Key: $key" -d '{"title": "Buy milk"}' >/dev/null
echo "added: $(api /api/v2/todo | grep -o '"title":"Buy milk"' | wc -l | tr -d ' ')"

# The task is due on the first Saturday from today. Completing it makes the next one.
echo "repeats: $(api "/api/v2/todo/$task/recurrence" -X PUT -d '{"rule": "FREQ=WEEKLY;BYDAY=SA"}' | field summary)"
echo "completed: $(api "/api/v2/todo/$task" -X PATCH -d '{"completed": true}' | field title)"

# Created, repeated, completed, and created again.
until [ "$(grep -c '^event: task' "$events")" -ge 4 ]; do sleep 0.1; done
echo "followed: $(grep -c '^event: task' "$events") changes"
