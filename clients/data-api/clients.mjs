// Programs for the Atlas Data API, as published: only the base URL and the key are ours. Exits with 1 at the first
// surprise.
import assert from "node:assert/strict";
import { createMongoDBDataAPI } from "mongodb-data-api";
import { mongodb } from "@saibotsivad/mongodb";

const apiUrl = process.env.DATA_API_URL;
const apiKey = process.env.DATA_API_KEY;
const there = { dataSource: "Cluster0", database: process.env.DATA_API_DATABASE, collection: "data_api_clients" };

/** Both libraries have these methods, with the same parameters and results. */
async function actions(name, api) {
  await api.deleteMany({ filter: {} });
  const { insertedId } = await api.insertOne({ document: { text: "a", at: { $date: "2022-05-16T20:22:01.104Z" } } });
  assert.match(insertedId, /^[0-9a-f]{24}$/);
  const _id = { $oid: insertedId };
  const expected = { _id: insertedId, text: "a", at: "2022-05-16T20:22:01.104Z" };
  assert.deepEqual(await api.findOne({ filter: { _id } }), { document: expected });
  assert.deepEqual(await api.findOne({ filter: { text: "none" } }), { document: null });
  assert.deepEqual(await api.insertMany({ documents: [{ _id: 1, n: 1 }, { _id: 2, n: 2 }] }), { insertedIds: [1, 2] });
  assert.deepEqual(
    await api.find({ filter: { n: { $gt: 0 } }, projection: { n: 1, _id: 0 }, sort: { n: -1 }, limit: 1, skip: 1 }),
    { documents: [{ n: 1 }] },
  );
  assert.deepEqual(await api.updateOne({ filter: { _id: 1 }, update: { $set: { n: 3 } } }), { matchedCount: 1, modifiedCount: 1 });
  assert.deepEqual(await api.updateOne({ filter: { _id: 9 }, update: { $set: { n: 9 } }, upsert: true }), {
    matchedCount: 0,
    modifiedCount: 0,
    upsertedId: 9,
  });
  assert.deepEqual(await api.updateMany({ filter: { n: { $gt: 0 } }, update: { $inc: { n: 1 } } }), { matchedCount: 3, modifiedCount: 3 });
  assert.deepEqual(await api.replaceOne({ filter: { _id: 9 }, replacement: { r: true } }), { matchedCount: 1, modifiedCount: 1 });
  assert.deepEqual(await api.aggregate({ pipeline: [{ $group: { _id: null, c: { $sum: 1 } } }] }), { documents: [{ _id: null, c: 4 }] });
  assert.deepEqual(await api.deleteOne({ filter: { _id: 9 } }), { deletedCount: 1 });
  assert.deepEqual(await api.deleteMany({ filter: {} }), { deletedCount: 3 });
  console.log(`${name}: ten actions as in the retired service`);
}

const surmon = (key) =>
  createMongoDBDataAPI({ apiKey: key, urlEndpoint: apiUrl })
    .$cluster(there.dataSource)
    .$database(there.database)
    .$collection(there.collection);
await actions("mongodb-data-api", surmon(apiKey));
await assert.rejects(surmon("wrong".repeat(10)).findOne({ filter: {} }), (error) => error.status === 401);

const saibotsivad = (key) => mongodb({ apiKey: key, apiUrl, ...there });
await actions("@saibotsivad/mongodb", saibotsivad(apiKey));
await assert.rejects(saibotsivad("wrong".repeat(10)).findOne({ filter: {} }), (error) => {
  assert.deepEqual([error.status, error.title, error.message], [401, "InvalidSession", "invalid session: error finding user for endpoint"]);
  return true;
});
const twice = saibotsivad(apiKey);
await twice.insertOne({ document: { _id: "k" } });
await assert.rejects(twice.insertOne({ document: { _id: "k" } }), /^MongodbError: Failed to insert document: E11000 duplicate key error/);
await twice.deleteMany({ filter: {} });
console.log("errors: as both clients read them");
