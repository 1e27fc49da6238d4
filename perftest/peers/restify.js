'use strict'

const { GREETING, collectionOf, insert, live } = require('./answers')

async function main () {
  const restify = require('restify')
  const collection = await collectionOf(process.env.MONGODB_URI)
  const server = restify.createServer()
  server.use(restify.plugins.jsonBodyParser())
  server.get('/ping', async (_, response) => response.send(GREETING))
  server.post('/:database/:collection', async (request, response) => {
    const { database, collection: name } = request.params
    response.send(await insert(collection(database, name), request.body))
  })
  server.listen(0, '127.0.0.1', () => live(server.address().port))
}

main()
