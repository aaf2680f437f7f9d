import { expect, test } from 'bun:test'
import { chmodSync, cpSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook } from '../support/e2e.ts'
import { asOrdinaryUser } from '../support/ordinary-user.ts'

/** Lists every path below a folder with its mode, size and modification times. */
function traces(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return ['.', ...names].sort().map((name) => {
    const { mode, size, mtimeMs, ctimeMs } = lstatSync(join(folder, name))
    return [name, mode.toString(8), size, mtimeMs, ctimeMs].join(' ')
  })
}

function forbidWriting(folder: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const path of [...names.map((name) => join(folder, name)), folder]) {
    chmodSync(path, lstatSync(path).isDirectory() ? 0o555 : 0o444)
  }
}

test('searches a read-only copy of a store without changing it', async () => {
  await using world = await createWorld({ embeddings: true })
  const base = 'https://kettle.example/handbook'
  const add = ['add', 'Kettle', '-s', handbook, '-v', '1.10', '--base-url', base]
  await world.json([...add, '--json'])
  const copy = join(world.folder, 'copy')
  cpSync(world.store, copy, { recursive: true })
  renameSync(world.store, `${world.store}-elsewhere`)
  forbidWriting(copy)
  const before = traces(copy)
  const run = {
    prefix: asOrdinaryUser(),
    env: { OG_DB_PATH: copy, OG_CACHE_DIR: join(world.folder, 'tmp', 'cache') },
  }
  const listed = await world.json(['list', '--json'], run)
  expect(listed).toMatchObject([{ library: 'Kettle', version: '1.10', pages: 8, chunks: 13 }])
  const found = await world.og(['query', 'water for green tea', '-k', '3', '--json'], run)
  expect(found).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(found.stdout).hits[0].heading).toBe('Brewing > Temperature')
  const many = await world.og(['query', '-', '--jsonl'], { ...run, stdin: 'tea\ncoffee\nlamp\n' })
  expect(many).toMatchObject({ exitCode: 0, stderr: '' })
  await world.check(
    ['get', `${base}/faq.txt`, '--lines', '1'],
    { stdout: 'Questions people ask\n' },
    run,
  )
  await world.check(['__complete', '--', 'rm', 'kettle', '-v', ''], { stdout: '1.10\t\n' }, run)
  expect(traces(copy)).toEqual(before)

  for (const args of [add, ['rm', 'kettle', '-v', '1.10', '-y']]) {
    await world.check(args, { exitCode: 2, stderr: /^error: Cannot [^]*DIR\/copy/ }, run)
  }
  const other = ['add', 'other', '-s', handbook]
  await world.check(other, { exitCode: 2, stderr: /^error: Cannot .*\nhint: / }, run)
  expect(traces(copy)).toEqual(before)
  chmodSync(copy, 0o755)
})
