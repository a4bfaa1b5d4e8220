import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { run } from '../support/process.ts'
import { openReceiver } from '../support/receiver.ts'
import { onEveryEngine } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'

/** Returns the arguments of the command, the file of the new key, and the environment of the start after it. */
function rotationOf({ directory, env }: StoreDirectory) {
  const isInDirectory = env.PETSTORE_SECRET_KEY_FILE === undefined
  const file = join(directory, isInDirectory ? 'secret-key' : 'newer-key')
  return {
    words: ['rotate-secret-key', '--data', directory, ...(isInDirectory ? [] : ['--to', file])],
    oldFile: env.PETSTORE_SECRET_KEY_FILE ?? file,
    file,
    after: { ...env, ...(!isInDirectory && { PETSTORE_SECRET_KEY_FILE: file }) },
  }
}

onEveryEngine(engine => {
  test('after a rotation of the secret key, both secrets of a webhook sign, and the old key is refused', async () => {
    await using place = await newStoreDirectory(engine)
    await using receiver = await openReceiver()
    const { words, oldFile, file, after } = rotationOf(place)
    let secrets: string[] = []
    {
      await using server = await place.start()
      const client = place.client(server)
      const { data } = await client.createWebhook({ body: { url: receiver.base } })
      const rotated = await client.rotateWebhookSecret({ webhookId: data.id })
      secrets = [data.secret, rotated.data.secret]
      if (engine === 'sqlite') {
        const refused = await run(words, place.env)
        expect([refused.exitCode, refused.errors]).toEqual([1, expect.stringContaining('Stop it first')])
      }
      await server.kill('SIGTERM')
    }
    const old = readFileSync(oldFile, 'utf8')
    if (engine === 'postgres') {
      const same = await run(['rotate-secret-key', '--data', place.directory, '--to', oldFile], place.env)
      expect([same.exitCode, same.errors]).toEqual([1, expect.stringContaining('has the current key')])
    }
    const done = await run(words, place.env)
    expect([done.exitCode, done.errors]).toEqual([0, expect.stringContaining(`the new key in ${file}`)])
    expect(readFileSync(file, 'utf8')).not.toBe(old)
    expect(existsSync(`${file}.new`)).toBe(false)
    if (engine === 'sqlite') {
      const second = readFileSync(file, 'utf8')
      // Another file of this name is left alone.
      mkdirSync(`${file}.old-2`)
      expect((await run(words, place.env)).errors).toContain(
        `the old key, which is in ${file}.old-3: keep it`,
      )
      const kept = ['old', 'old-3'].map(name => readFileSync(`${file}.${name}`, 'utf8'))
      expect(kept).toEqual([old, second])
    }
    {
      await using server = await place.startWith(after)
      await place.client(server).createCategory({ body: { name: 'Signed' } })
      await receiver.waitForRequests(1)
      await server.kill('SIGTERM')
    }
    const sent = receiver.received.at(-1)
    for (const secret of secrets) new Webhook(secret).verify(sent?.body ?? '', { ...sent?.headers })
    writeFileSync(join(place.directory, 'old'), old)
    const env = { ...after, PETSTORE_SECRET_KEY_FILE: join(place.directory, 'old') }
    const refused = await run(['serve', '--port', '0', ...place.args], env)
    expect([refused.exitCode, refused.errors]).toEqual([1, expect.stringContaining('a different key')])
  })

  test('a rotation that was interrupted before or after its commit goes on when it is run again', async () => {
    await using place = await newStoreDirectory(engine)
    await place.use(client => client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } }))
    const { words, oldFile, file, after } = rotationOf(place)
    const old = readFileSync(oldFile, 'utf8')
    const made = engine === 'sqlite' ? `${file}.new` : file
    writeFileSync(made, 'no key')
    const noKey = await run(words, place.env)
    expect([noKey.exitCode, noKey.errors]).toEqual([
      1,
      `${made}: it must contain 32 random bytes in base64; "petstore new-secret-key FILE" creates one.\n`,
    ])
    rmSync(made)
    // Before the commit, the new key is in its file, and nothing else has changed.
    expect((await run(['new-secret-key', made])).exitCode).toBe(0)
    const newer = readFileSync(made, 'utf8')
    expect((await run(words, place.env)).exitCode).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(newer)
    // After the commit, the old key is still in its place.
    if (engine === 'sqlite') {
      renameSync(file, made)
      writeFileSync(file, old)
      const refused = await run(['serve', '--port', '0', ...place.args], place.env)
      expect([refused.exitCode, refused.errors]).toEqual([1, expect.stringContaining('run it again')])
    }
    expect((await run(words, place.env)).exitCode).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(newer)
    await using server = await place.startWith(after)
    expect((await place.client(server).listWebhooks({})).data.items).toHaveLength(1)
    await server.kill('SIGTERM')
    // A key that is neither the old nor the new one changes nothing.
    rmSync(oldFile)
    expect((await run(['new-secret-key', oldFile])).exitCode).toBe(0)
    if (engine === 'postgres') rmSync(file)
    const wrong = await run(words, place.env)
    expect([wrong.exitCode, wrong.errors]).toEqual([1, expect.stringContaining('encrypted with another key')])
  })
})
