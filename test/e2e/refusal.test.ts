import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { createWorld, handbook } from '../support/e2e.ts'

test('marks hits for an unrelated question as weak, and returns none with --strict', async () => {
  await using world = await createWorld({ embeddings: true })
  const { check, json } = world
  await json(['add', 'handbook', '-s', handbook, '-v', '1', '--json'])
  const elsewhere = 'symptoms of vitamin D deficiency in react'
  const suggest = [{ library: 'react', version: null, command: 'og add react' }]
  const weak = await json(['query', elsewhere, '--json'])
  expect(weak).toMatchObject({ confidence: 'weak', reason: 'no good match in handbook 1', suggest })
  expect(weak.hits).toHaveLength(5)
  expect(weak.nearest.length).toBeGreaterThan(0)
  await check(['query', elsewhere], {
    stdout:
      /^Found 5 matches in .*\.\nNo passage is clearly about this; nearest:\n1\. [^]*add react\n$/,
  })
  const { stdout, exitCode } = await world.og(['query', elsewhere, '--strict', '--json'])
  expect(exitCode).toBe(1)
  const { hits, nearest, reason } = weak
  expect(JSON.parse(stdout)).toMatchObject({
    confidence: 'weak',
    hits: [],
    nearest,
    reason,
    suggest,
  })
  expect(hits).not.toEqual([])
  await check(['query', elsewhere, '--strict'], {
    exitCode: 1,
    stdout: /^Found 0 matches\.\nNo good match in handbook 1\. Without --strict,? .*\nNearest /,
  })
  const sure = await json(['query', 'how is it brewed', '--strict', '--json'])
  expect([sure.confidence, sure.hits.length]).toEqual(['high', 5])
  expect((await json(['query', 'ERR_NO_BOILER', '--json'])).confidence).toBe('high')
  const {
    libraries: [health],
  } = await json(['eval', '--self', '--json'])
  expect(health).toMatchObject({ library: 'handbook', version: '1' })
  expect(health.health).toBeGreaterThan(60)
})

test('reports a failed query in one line on stderr, also with --json and --jsonl', async () => {
  await using world = await createWorld()
  await using temp = await createTempFolder('og-no-store')
  const check = async (typed: string[], store: string | null, stderr: RegExp) => {
    for (const form of [[], ['--json'], ['--jsonl']]) {
      const env = store === null ? {} : { OG_DB_PATH: store }
      const ran = await world.og(['query', ...typed, ...form], { env })
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' })
      expect(ran.stderr).toMatch(stderr)
      expect(ran.stderr.match(/^error: /gm)).toHaveLength(1)
    }
  }
  const empty = join(temp.path, 'empty')
  const photos = join(temp.path, 'photos')
  for (const folder of [empty, photos]) mkdirSync(folder)
  writeFileSync(join(photos, 'cat.txt'), '')
  await check(['hello'], empty, /^error: Nothing is indexed\nhint: og add /)
  await check(['hello', '-l', 'fastapi'], empty, /^error: Library "fastapi" not found\n/)
  await check(['hello'], photos, /^error: Cannot read store .*photos: it contains no og index\n/)
  const gone = join(temp.path, 'gone')
  const slip = /^error: Cannot read store .*gone: there is no such folder\n/
  await check(['hello', '-l', 'x'], gone, slip)
  await world.og(['add', 'handbook', '-s', handbook, '-v', '1'])
  await check(['hello', '-l', 'hanbook'], null, /^error: Library "hanbook" not found\n/)
})

test('accepts LIBRARY@VERSION wherever a library is named', async () => {
  await using world = await createWorld()
  const { json } = world
  for (const version of ['1', '2']) await world.og(['add', 'kit', '-s', handbook, '-v', version])
  const asked = await json(['query', 'deadline', '-l', 'kit@1', '--json'])
  expect([asked.library, asked.version, asked.hits[0].version]).toEqual(['kit', '1', '1'])
  const { url } = asked.hits[0]
  expect((await json(['get', url, '-l', 'kit@1', '--json'])).version).toBe('1')
  for (const typed of [
    ['query', 'deadline'],
    ['get', url],
  ]) {
    const ran = await world.og([...typed, '-l', 'kit@1', '-v', '2'])
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' })
    expect(ran.stderr).toContain(
      'error: Cannot search "kit@1" in version "2": it contains another version',
    )
  }
})
