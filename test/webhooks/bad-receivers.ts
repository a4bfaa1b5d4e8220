import { deadPort, dripping, endless, openReceiver } from '../support/receiver.ts'

// A process of its own, so that the test measures only the load of the store: it opens COUNT receivers of each kind,
// and prints their URLs.
const count = Number(process.argv[2])
const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n'
const bases: string[] = []
for (let made = 0; made < count; made++) {
  bases.push(`http://127.0.0.1:${await deadPort()}`)
  bases.push((await openReceiver(() => dripping(head))).base)
  bases.push((await openReceiver(() => endless(head))).base)
}
process.stdout.write(`${JSON.stringify(bases)}\n`)
