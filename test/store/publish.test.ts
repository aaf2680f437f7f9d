import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { sweepGenerations } from '../../src/store/generation.ts'
import { publish } from '../../src/store/publish.ts'
import { lockRegistry, readEntries } from '../../src/store/registry.ts'
import { entryOf, writeGeneration } from '../support/store.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og publish'))
const folder = () => join(temp().path, 'store')

/** Returns the rows as `library live previous`, with the letters of generations in `names`. */
async function check(names: Record<string, string>, rows: string[]): Promise<void> {
  const letter = (id: string | undefined) => Object.keys(names).find((it) => names[it] === id)
  const entries = await readEntries(folder())
  const seen = entries.map(({ library, live, previous }) =>
    [library, letter(live.id), letter(previous?.id) ?? '-'].join(' '),
  )
  expect(seen).toEqual(rows)
}

const written = async (text: string, library?: string) =>
  writeGeneration(folder(), { a: text }, { embedder: null, ...(library ? { library } : {}) })

test('keeps the generation that was live as the previous one, and the position of the row', async () => {
  const [a, x] = [await written('one', 'lib'), await written('x', 'other')]
  const b = await written('two', 'lib')
  const names = { a: a.id, b: b.id, x: x.id }
  await check(names, ['lib b a', 'other x -'])
  const [before] = await readEntries(folder())
  await publish(folder(), () => ({ ...before!, before: null, library: 'third', live: x }))
  await check(names, ['lib b a', 'other x -', 'third x -'])
})

test('keeps the previous generation when the live one is published again, and can publish the previous one', async () => {
  const a = await written('one', 'lib')
  const b = await written('two', 'lib')
  const names = { a: a.id, b: b.id }
  const flip = (live: typeof a) =>
    publish(folder(), ([before]) => ({ ...before!, before: before!, live }))
  await flip({ ...b, ref: 'news' })
  await check(names, ['lib b a'])
  expect((await flip(a)).previous!.ref).toBe('news')
  await check(names, ['lib a b'])
})

test('neither publishes nor keeps a lost generation', async () => {
  const a = await written('one', 'lib')
  const b = await written('two', 'lib')
  const c = await written('three')
  const forget = (id: string) => rmSync(join(folder(), 'generations', id), { recursive: true })
  forget(b.id)
  await publish(folder(), ([before]) => ({ ...before!, before: before!, live: c }))
  await check({ a: a.id, c: c.id }, ['lib c a'])
  const gone = await written('four')
  forget(gone.id)
  const publishing = publish(folder(), ([before]) => ({ ...entryOf('new', gone), before: before! }))
  await expect(publishing).rejects.toThrow('Cannot publish library "new" version "1": generation ')
  await check({ a: a.id, c: c.id }, ['lib c a'])
})

test('a sweep waits for the registry lock and sees the new references', async () => {
  const orphan = await written('one')
  const turn = await lockRegistry(folder())
  let isOver = false
  const sweeping = sweepGenerations(folder()).finally(() => (isOver = true))
  await Bun.sleep(50)
  expect(isOver).toBe(false)
  turn[Symbol.dispose]()
  expect(await sweeping).toEqual([orphan.id])
})
