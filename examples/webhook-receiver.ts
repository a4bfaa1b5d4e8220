import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

// Receives webhook deliveries and prints each event. Run it with the secret that `POST /webhooks` returned:
//   SECRET=whsec_... npx --no-install bun examples/webhook-receiver.ts

const webhook = new Webhook(process.env.SECRET ?? '')

const server = createServer(async (request, response) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    // The signature covers the bytes of the body: verify them before you parse them.
    const event = webhook.verify(Buffer.concat(chunks).toString(), {
      'webhook-id': String(request.headers['webhook-id']),
      'webhook-timestamp': String(request.headers['webhook-timestamp']),
      'webhook-signature': String(request.headers['webhook-signature']),
    })
    console.log(JSON.stringify(event))
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(401).end(String(error))
  }
})
server.listen(Number(process.env.PORT ?? 9999), '127.0.0.1', () => console.log('listening'))
