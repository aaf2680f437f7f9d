import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { startProgram } from '../../../src/platform/subprocess.ts'
import { openBlobs } from '../../../src/source/git/git-blobs.ts'
import { sizeLimitBytes } from '../../../src/source/select/select.ts'
import { commit, git } from '../../support/repository.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const large = new Uint8Array(sizeLimitBytes + 1).fill(10)
const texts = { 'a.md': '# A\nü\n', 'empty.md': '', 'sub/bytes': new Uint8Array([10, 0, 255, 10]) }

const temp = disposeAfterAll(await createTempFolder('og blobs'))
const work = join(temp.path, 'work')
commit(work, { ...texts, large, just: large.subarray(1) })

const idOf = (name: string) => git(work, 'rev-parse', `HEAD:${name}`)

/** Runs git in the repository itself, which has all blobs. */
const open = () =>
  openBlobs({
    run: async () => '',
    start: (args) =>
      startProgram(['git', ...args], { cwd: work, env: { PATH: process.env.PATH! } }),
    async [Symbol.asyncDispose]() {},
  })

const none = '0'.repeat(40)

test('reads each blob completely, one after another', async () => {
  await using blobs = open()
  for (const [name, content] of Object.entries(texts)) {
    const bytes = Buffer.from(content)
    const blob = await blobs.read(idOf(name))
    expect([blob!.sizeBytes, Buffer.from(blob!.bytes!)]).toEqual([bytes.length, bytes])
  }
})

test('returns the right blobs to concurrent requests', async () => {
  await using blobs = open()
  const names = Object.keys(texts)
  const asked = Array.from({ length: 60 }, (_, i) => names[i % names.length]!)
  const ids = new Map(names.map((name) => [name, idOf(name)]))
  const read = await Promise.all(asked.map((name) => blobs.read(ids.get(name)!)))
  expect(read.map((blob) => blob!.sizeBytes)).toEqual(
    asked.map((name) => Buffer.from(texts[name as keyof typeof texts]).length),
  )
})

test('returns null for missing objects and objects that are not blobs, then continues', async () => {
  await using blobs = open()
  expect(await blobs.read(none)).toBeNull()
  expect(await blobs.read(git(work, 'rev-parse', 'HEAD:sub'))).toBeNull()
  expect(await blobs.read(git(work, 'rev-parse', 'HEAD'))).toBeNull()
  expect((await blobs.read(idOf('a.md')))?.sizeBytes).toBe(7)
})

test('returns only the size of a blob over the limit', async () => {
  await using blobs = open()
  expect(await blobs.read(idOf('large'))).toEqual({ sizeBytes: sizeLimitBytes + 1, bytes: null })
  expect((await blobs.read(idOf('just')))?.bytes?.length).toBe(sizeLimitBytes)
  expect((await blobs.read(idOf('a.md')))?.sizeBytes).toBe(7)
})

test('fails instead of waiting if git exits early', async () => {
  const blobs = open()
  expect((await blobs.read(idOf('a.md')))?.sizeBytes).toBe(7)
  await blobs[Symbol.asyncDispose]()
  await expect(blobs.read(idOf('a.md'))).rejects.toThrow()
})
