'use strict'

const { GREETING, collectionOf, insert, live } = require('./answers')

async function main () {
  const collection = await collectionOf(process.env.MONGODB_URI)
  const app = require('fastify')()
  app.get('/ping', async () => GREETING)
  app.post('/:database/:collection', async (request, reply) => {
    const { database, collection: name } = request.params
    reply.code(await insert(collection(database, name), request.body))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  live(app.server.address().port)
}

main()
