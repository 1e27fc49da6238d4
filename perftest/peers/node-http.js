// The baseline: Node.js's own server, nothing else.
'use strict'

const http = require('node:http')
const { GREETING, live } = require('./answers')

const server = http.createServer((_, response) => {
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify(GREETING))
})
server.listen(0, '127.0.0.1', () => live(server.address().port))
