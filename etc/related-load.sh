#!/usr/bin/env bash
# Shows what embedded documents and 304 save: ./dev related-load
#
#   etc/related-load.sh [--seconds N] [--rounds N] [--lines N]
#
# Starts a gateway with a MongoDB of its own, whose data are thrown away, stores 10,000 orders of 1,000 customers, each with 3
# lines, and asks in turn for
# - pages of 100 orders, by 64 clients: alone, with customer and lines by embed, the same by GraphQL, and by three requests;
#   the page is the same for all, or each time another;
# - the latest 20 orders, as a dashboard with 100 clients does five times a second, with and without If-None-Match, while an
#   order changes every second.
# Needs wrk. Takes five minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=etc/toolchain.sh
source etc/toolchain.sh

seconds=5 rounds=2 lines=3
while [ $# -gt 0 ]; do
  case $1 in --seconds | --rounds | --lines) ;; *) fail "there is no option '$1'; see the head of etc/related-load.sh" ;; esac
  case ${2-} in "" | *[!0-9]* | 0*) fail "$1 needs a number" ;; esac
  declare "${1#--}=$2"
  shift 2
done
command -v wrk >/dev/null || fail "needs wrk: apt-get install wrk"
need_jdk
if jar_outdated; then build_jar; fi

use_scratch
writer=''
trap '[ -z "$writer" ] || kill "$writer" 2>/dev/null || true; finish' EXIT
start_gateway 18220

call() { curl -sfg -u admin:secret -o /dev/null -H 'Content-Type: application/json' "$@"; }
call -X PUT "$url/" || true # it may be there
for collection in customers lines gql-apps; do call -X PUT "$url/$collection"; done
call -X PUT "$url/orders" -d '{"rels": [
  {"rel": "customer", "type": "MANY_TO_ONE", "role": "OWNING", "target-coll": "customers", "ref-field": "customer"},
  {"rel": "lines", "type": "ONE_TO_MANY", "role": "INVERSE", "target-coll": "lines", "ref-field": "order"}]}'
call -X PUT "$url/lines/_indexes/order" -d '{"keys": {"order": 1}}'
call -X PUT "$url/gql-apps/shop?wm=upsert" -d '{"descriptor": {"uri": "shop"},
  "schema": "type Customer { _id: String name: String mail: String } type Line { _id: Int product: String quantity: Int }
    type Order { _id: Int state: String total: Float text: String customer: Customer lines: [Line] }
    type Query { orders(skip: Int): [Order] }",
  "mappings": {
    "Order": {
      "customer": {"db": "restheart", "collection": "customers", "find": {"_id": {"$fk": "customer"}}},
      "lines": {"db": "restheart", "collection": "lines", "find": {"order": {"$fk": "_id"}}}},
    "Query": {"orders": {"db": "restheart", "collection": "orders", "find": {}, "sort": {"_id": 1},
      "skip": {"$arg": "skip"}, "limit": 100}}}}'

# Posts the documents $2 to $3 - 1 of collection $1, which awk prints with the code $4.
store() {
  awk "BEGIN { printf \"[\"; for (i = $2; i < $3; i++) { if (i > $2) printf \",\"; $4 } print \"]\" }" |
    call "$url/$1" --data-binary @-
}
store customers 0 1000 'printf "{\"_id\":\"c%d\",\"name\":\"Name %d\",\"mail\":\"name%d@example.org\"}", i, i, i'
text=$(printf 'a word %.0s' {1..60})
for ((from = 0; from < 10000; from += 1000)); do
  store orders $from $((from + 1000)) "printf \"{\\\"_id\\\":%d,\\\"customer\\\":\\\"c%d\\\",\\\"state\\\":\\\"paid\\\",\\\"total\\\":%d,\\\"text\\\":\\\"$text\\\"}\", i, i * 7 % 1000, i"
  store lines $((from * lines)) $(((from + 1000) * lines)) "printf \"{\\\"_id\\\":%d,\\\"order\\\":%d,\\\"product\\\":\\\"p%d\\\",\\\"quantity\\\":1}\", i, int(i / $lines), i % 500"
done

# wrk's side: what is asked, for which pages, and how often.
cat >"$scratch/load.lua" <<'LUA'
local kind, same, poll = os.getenv("KIND"), os.getenv("SAME") == "1", os.getenv("KIND"):find("poll")
local tag, count, fresh, at, order = nil, 0, 0, 0, {}
math.randomseed(42)
local head = "Host: localhost\r\nAuthorization: Basic YWRtaW46c2VjcmV0\r\n"
local function get(target) return "GET " .. target .. " HTTP/1.1\r\n" .. head .. "\r\n" end
local function any(field, from, value)
  local keys = {}
  for i = from, from + 99 do keys[#keys + 1] = value(i) end
  return "filter=%7B%22" .. field .. "%22:%7B%22$in%22:%5B" .. table.concat(keys, ",") .. "%5D%7D%7D"
end
request = function()
  if poll then
    local known = kind == "poll with If-None-Match" and tag and "If-None-Match: " .. tag .. "\r\n" or ""
    return "GET /orders?pagesize=20 HTTP/1.1\r\n" .. head .. known .. "\r\n"
  end
  at = at + 1
  local page = same and 3 or math.random(100)
  local from = (page - 1) * 100
  if kind == "GraphQL" then
    local query = '{"query":"{orders(skip:' .. from .. '){_id state total text customer{_id name mail} lines{_id product quantity}}}"}'
    return "POST /graphql/shop HTTP/1.1\r\n" .. head .. "Content-Type: application/json\r\nContent-Length: " .. #query .. "\r\n\r\n" .. query
  elseif kind == "three requests" and at % 3 == 1 then
    return get("/customers?pagesize=100&" .. any("_id", from, function(i) return "%22c" .. i * 7 % 1000 .. "%22" end))
  elseif kind == "three requests" and at % 3 == 2 then
    return get("/lines?pagesize=1000&" .. any("order", from, tostring))
  end
  return get("/orders?pagesize=100&sort=_id&page=" .. page .. (kind == "embed" and "&embed=customer,lines" or ""))
end
if poll then
  delay = function() return 200 end
  response = function(status, headers)
    count = count + 1
    tag = headers["ETag"] or tag
  end
end
done = function(summary, latency)
  io.write(string.format("@%8.0f/s | %8.2f ms | %8.1f KB | %s\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, summary.bytes / summary.requests / 1000, summary.errors.status == 0 and "" or "ERRORS"))
end
LUA
ask() { # $1: kind, $2: clients, $3: seconds, $4: threads, each of which knows one tag
  KIND=$1 wrk "-t${4-1}" "-c$2" "-d$3s" --timeout 30s -s "$scratch/load.lua" "$url" | sed -n 's/^@//p'
}

kinds=("page" "embed" "GraphQL" "three requests")
for SAME in 1 0; do
  export SAME
  for kind in "${kinds[@]}"; do ask "$kind" 64 $((2 * seconds)) >/dev/null; done # to be compiled
  for ((round = 0; round < rounds; round++)); do
    for kind in "${kinds[@]}"; do
      printf '| %-13s | %-24s |%s\n' "$([ $SAME = 1 ] && echo 'the same page' || echo 'any page')" "$kind" "$(ask "$kind" 64 "$seconds")"
    done
  done
done
while sleep 1; do call -X PATCH "$url/orders/9990?id_type=NUMBER" -d '{"$inc": {"total": 1}}'; done &
writer=$!
for kind in "poll" "poll with If-None-Match"; do
  printf '| %-13s | %-24s |%s\n' "latest 20" "$kind" "$(ask "$kind" 100 $((2 * seconds)) 100)"
done
