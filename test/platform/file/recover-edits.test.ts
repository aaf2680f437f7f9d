import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { keptFileName, keptHash } from '../../../src/platform/file/kept-file.ts'
import { recoverEdits, removeFile } from '../../../src/platform/file/recover-edits.ts'

let temp: TempFolder
let path: string
beforeEach(async () => {
  temp = await createTempFolder('og recover')
  path = join(temp.path, 'notes.md')
  writeFileSync(path, 'old\n')
})
afterEach(() => temp[Symbol.asyncDispose]())

const sums = (text: string) => ({ size: text.length, hash: keptHash(Buffer.from(text)) })

/** As after the first half of an edit from "old" to "new": the new content has its hidden name. */
function prepare(): string {
  const draft = join(temp.path, 'draft')
  writeFileSync(draft, 'new\n')
  const newInode = statSync(draft, { bigint: true }).ino
  const hidden = join(temp.path, keptFileName({ name: 'notes.md', newInode, ...sums('old\n') }))
  renameSync(draft, hidden)
  return hidden
}

/** As after the exchange: the file has the new content, and the hidden name is of the old file. */
function exchange(hidden: string): void {
  const aside = join(temp.path, 'aside')
  renameSync(path, aside)
  renameSync(hidden, path)
  renameSync(aside, hidden)
}

async function check(files: Record<string, string>): Promise<void> {
  for (let times = 0; times < 2; times++) {
    await recoverEdits(temp.path)
    const found = readdirSync(temp.path).map((name) => [
      name,
      readFileSync(join(temp.path, name), 'utf8'),
    ])
    expect(Object.fromEntries(found)).toEqual(files)
  }
}

test('new content that was never used is deleted, whole or half', async () => {
  prepare()
  writeFileSync(join(temp.path, '.notes.md.12.0123456789ab'), 'ne')
  await check({ 'notes.md': 'old\n' })
})

test('an old file is deleted after the exchange', async () => {
  exchange(prepare())
  await check({ 'notes.md': 'new\n' })
})

test('text that was appended to the old file moves to the new one, once', async () => {
  const hidden = prepare()
  exchange(hidden)
  writeFileSync(hidden, 'old\nline\n')
  await check({ 'notes.md': 'new\nline\n' })
  const again = prepare()
  renameSync(again, join(temp.path, 'draft'))
  writeFileSync(again, 'old\nline\n')
  rmSync(join(temp.path, 'draft'))
  await check({ 'notes.md': 'new\nline\n' })
})

test('a file that another program put there in the moment of the exchange gets its name back', async () => {
  const hidden = prepare()
  writeFileSync(path, 'theirs\n')
  exchange(hidden)
  await check({ 'notes.md': 'theirs\n' })
})

test('two versions of another program both stay', async () => {
  const hidden = prepare()
  writeFileSync(path, 'theirs\n')
  exchange(hidden)
  writeFileSync(join(temp.path, 'draft'), 'later\n')
  renameSync(join(temp.path, 'draft'), path)
  await check({ 'notes.md': 'later\n', 'notes.md.kept': 'theirs\n' })
})

test('an exchange of several steps that was cut keeps the file', async () => {
  const hidden = prepare()
  linkSync(path, `${hidden}~`)
  await check({ 'notes.md': 'old\n' })
  renameSync(path, `${prepare()}~`)
  await check({ 'notes.md': 'old\n' })
})

test('a removed file is gone; text that another program wrote stays', async () => {
  await removeFile(path, sums('old\n'))
  expect(existsSync(path)).toBe(false)
  writeFileSync(path, 'old\nline\n')
  await removeFile(path, sums('old\n'))
  expect(readFileSync(path, 'utf8')).toBe('line\n')
  await removeFile(path, sums('other\n'))
  await check({ 'notes.md': 'line\n' })
})
