import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { metricsOf } from '../support/metrics.ts'
import { type ProcessResult, run } from '../support/process.ts'
import { makePet } from '../support/shop.ts'
import { onEveryEngine } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

onEveryEngine(engine => {
  test('a drill restores the newest backup of a running store, records it, and finds one that is no good', async () => {
    await using place = await newStoreDirectory(engine)
    const [backups, scratch] = ['backups', 'scratch'].map(name => join(place.directory, name))
    if (!backups || !scratch) throw new Error('there are two')
    mkdirSync(scratch)
    const petstore = (...words: string[]): Promise<ProcessResult> =>
      run([...words, '--data', place.directory], place.env)
    const drill = () => petstore('drill', '--from', backups, '--scratch', scratch)
    await using server = await place.start()
    const { petId } = await makePet(place.client(server), { quantity: 3n })
    await place.client(server).createWebhook({ body: { url: 'http://127.0.0.1:9/' } })
    const drilledAt = async () =>
      (await metricsOf(server, 'petstore_last_drill')).petstore_last_drill_timestamp_seconds
    expect([(await drill()).exitCode, await drilledAt()]).toEqual([1, 0])
    await petstore('backup', '--to', join(backups, 'older'))
    await place.client(server).placeOrder({ body: { petId } })
    await petstore('backup', '--to', join(backups, 'newer'))
    // The directory also has a newer backup of the nights of another store.
    const other = join(backups, 'petstore-00c0ffee-2099-01-01T03-00-00Z')
    cpSync(join(backups, 'older'), other, { recursive: true })
    const manifest = readFileSync(join(other, 'manifest.json'), 'utf8')
    writeFileSync(
      join(other, 'manifest.json'),
      manifest.replace(/"createdAt":\s*"\d{4}/, '"createdAt":"2099'),
    )
    // One that is being made, or was not finished, is none; nor is one that cannot be read.
    cpSync(other, join(backups, 'night.99999999-host.petstore-draft'), { recursive: true })
    mkdirSync(join(backups, 'unreadable'))
    writeFileSync(join(backups, 'unreadable/manifest.json'), '{')
    const good = await drill()
    expect(good.errors).toContain('unreadable cannot be read')
    expect([good.exitCode, good.errors]).toEqual([0, expect.stringContaining(join(backups, 'newer'))])
    expect(good.output.match(/^ok /gm)).toHaveLength(6)
    const recorded = (await drilledAt()) ?? 0
    expect(Date.now() / 1000 - recorded).toBeLessThan(60)
    // A backup of a night of this store may be the newest one.
    await place.database(`INSERT INTO metadata (name, value) VALUES ('store-id', 'abcd1234') RETURNING 1`)
    const night = join(backups, 'petstore-abcd1234-2026-01-01T03-00-00Z')
    cpSync(join(backups, 'unreadable'), night, { recursive: true })
    const unsure = await drill()
    expect([unsure.exitCode, unsure.errors]).toEqual([1, expect.stringContaining('cannot be read')])
    rmSync(night, { recursive: true })
    // Its files are those of the manifest, but the stock is wrong in the store.
    await place.database(`UPDATE pet SET quantity = quantity + 1 WHERE id = ${petId}`)
    await petstore('backup', '--to', join(backups, 'wrong'))
    const wrong = await drill()
    expect([wrong.exitCode, wrong.output]).toEqual([1, expect.stringMatching(/^FAIL {2}stock/m)])
    const file = join(backups, 'wrong/petstore.db')
    const bytes = readFileSync(file)
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1
    writeFileSync(file, bytes)
    const damaged = await drill()
    expect([damaged.exitCode, damaged.errors]).toEqual([
      1,
      expect.stringContaining('is not the file that was backed up'),
    ])
    expect([await drilledAt(), readdirSync(scratch)]).toEqual([recorded, []])
    const nowhere = await petstore('drill', '--from', backups, '--scratch', join(scratch, 'none'))
    expect([nowhere.exitCode, nowhere.errors]).toEqual([1, expect.stringContaining('none does not exist.')])
  })
})
