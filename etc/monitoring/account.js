// Makes the account that Prometheus scrapes with, once: mongosh "mongodb://…/restheart" account.js
//
// It may GET /metrics and nothing else. Its password is metrics, here as a bcrypt hash: give it another one, and write that
// into prometheus-compose.yml or prometheus.yml:
//
//   curl -u admin:… -X PATCH -H 'Content-Type: application/json' -d '{"password": "…"}' http://…/users/prometheus
const account = {
  "_id": "prometheus",
  "password": "$2b$12$0axXHpQIsRuCR0zAD4vYGOTU.l.lzfmN.sWddlU9A9.V/0mAC8x/u",
  "roles": ["monitoring"]
};
const permission = {
  "_id": "prometheus",
  "description": "Metrics for Prometheus",
  "roles": ["monitoring"],
  "predicate": "path('/metrics') and method(GET)",
  "priority": 100
};

// What is there already stays as it is.
function insertMissing(collection, document) {
  const {_id, ...rest} = document;
  db.getSiblingDB("restheart").getCollection(collection)
    .updateOne({_id}, {$setOnInsert: {...rest, _etag: new ObjectId()}}, {upsert: true});
}
insertMissing("users", account);
insertMissing("acl", permission);
