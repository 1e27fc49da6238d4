#!/usr/bin/env bash
# Requests as the vendor's pages had them, with curl; only address and key are ours. Ends with 1 at the first surprise.
# Needs DATA_API_URL, DATA_API_KEY, DATA_API_DATABASE and LOG_IN_URL.
set -euo pipefail

expect() {
  local wanted=$1 got
  shift
  got=$(curl -s -w ' %{http_code}' "$@")
  [[ $got =~ $wanted ]] || { echo "curl: expected $wanted, got $got" >&2; exit 1; }
}
# The body with the namespace in front.
body() { echo "{\"dataSource\": \"Cluster0\", \"database\": \"$DATA_API_DATABASE\", \"collection\": \"data_api_clients\", $1}"; }

oid='[0-9a-f]{24}'
# With the form type of curl -d, which the vendor's tested scripts sent.
expect "^\{\"insertedId\": ?\"$oid\"\} 201$" -X POST "$DATA_API_URL/action/insertOne" -H "apiKey: $DATA_API_KEY" \
  -d "$(body '"document": {"status": "open", "text": "Do the dishes"}')"
expect "^\{\"document\": ?\{\"_id\": ?\"$oid\", ?\"status\": ?\"open\", ?\"text\": ?\"Do the dishes\"\}\} 200$" \
  --location --request POST "$DATA_API_URL/action/findOne" --header 'Content-Type: application/json' \
  --header 'Access-Control-Request-Headers: *' --header "api-key: $DATA_API_KEY" --data-raw "$(body '"projection": {}')"
expect '^\{"matchedCount": ?\{"\$numberInt": ?"1"\}, ?"modifiedCount": ?\{"\$numberInt": ?"1"\}\} 200$' \
  "$DATA_API_URL/action/updateOne" -H 'Accept: application/ejson' -H 'Content-Type: application/ejson' \
  -H "api-key: $DATA_API_KEY" -d "$(body '"filter": {"text": "Do the dishes"}, "update": {"$set": {"status": "complete"}}')"
expect '^\{"documents": ?\[\{"_id": ?"complete", ?"count": ?1\}\]\} 200$' "$DATA_API_URL/action/aggregate" \
  -H 'Content-Type: application/json' -H "api-key: $DATA_API_KEY" \
  -d "$(body '"pipeline": [{"$group": {"_id": "$status", "count": {"$sum": 1}}}]')"
expect '"no authentication methods were specified".* 400$' "$DATA_API_URL/action/findOne" -d "$(body '"filter": {}')"

# Browsers traded credentials for tokens.
tokens=$(curl -fs -X POST "$LOG_IN_URL/app/any/auth/providers/api-key/login" -H 'Content-Type: application/json' \
  -d "{\"key\": \"$DATA_API_KEY\"}")
of() { sed -E "s/.*\"$1\": ?\"([^\"]*)\".*/\1/" <<<"$2"; }
refresh=$(of refresh_token "$tokens")
access=$(of access_token "$(curl -fs -X POST "$LOG_IN_URL/auth/session" -H "Authorization: Bearer $refresh")")
expect '^\{"deletedCount": ?1\} 200$' "$DATA_API_URL/action/deleteMany" -H "Authorization: Bearer $access" \
  -H 'Content-Type: application/json' -d "$(body '"filter": {}')"
expect '^ 204$' -X DELETE "$LOG_IN_URL/auth/session" -H "Authorization: Bearer $refresh"
expect ' 401$' -X POST "$LOG_IN_URL/auth/session" -H "Authorization: Bearer $refresh"
echo "curl: the vendor's snippets, log-in and refresh"
