// What all peers do: the same answers, the same inserts. Each prints its port, and ends when its standard input does.
'use strict'

const { MongoClient } = require('mongodb')

const GREETING = { message: 'Greetings!' }

async function collectionOf (uri) {
  const client = new MongoClient(uri, { writeConcern: { w: 'majority' } })
  await client.connect()
  return (database, collection) => client.db(database).collection(collection)
}

/** Inserts a document or an array of them; returns the status to answer with. */
async function insert (collection, body) {
  if (Array.isArray(body)) {
    await collection.insertMany(body, { ordered: false })
    return 200
  }
  await collection.insertOne(body)
  return 201
}

function live (port) {
  console.log(port)
  process.stdin.resume()
  process.stdin.on('end', () => process.exit(0))
}

module.exports = { GREETING, collectionOf, insert, live }
