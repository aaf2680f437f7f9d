import { beforeEach, expect, test } from 'bun:test'
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
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { savedFileName, savedFileHash } from '../../../src/platform/file/saved-file.ts'
import { recoverEdits, removeFile } from '../../../src/platform/file/recover-edits.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og recover'))
const path = () => join(temp().path, 'notes.md')
beforeEach(() => void writeFileSync(path(), 'old\n'))

const sums = (text: string) => ({ size: text.length, hash: savedFileHash(Buffer.from(text)) })

/**
 * The state after the first half of an edit from "old" to "new": the new content has its hidden
 * name.
 */
function prepare(): string {
  const draft = join(temp().path, 'draft')
  writeFileSync(draft, 'new\n')
  const newInode = statSync(draft, { bigint: true }).ino
  const hidden = join(temp().path, savedFileName({ name: 'notes.md', newInode, ...sums('old\n') }))
  renameSync(draft, hidden)
  return hidden
}

/**
 * The state after the exchange: the file has the new content, and the old file has the hidden name.
 */
function exchange(hidden: string): void {
  const aside = join(temp().path, 'aside')
  renameSync(path(), aside)
  renameSync(hidden, path())
  renameSync(aside, hidden)
}

async function check(files: Record<string, string>): Promise<void> {
  for (let times = 0; times < 2; times++) {
    await recoverEdits(temp().path)
    const found = readdirSync(temp().path).map((name) => [
      name,
      readFileSync(join(temp().path, name), 'utf8'),
    ])
    expect(Object.fromEntries(found)).toEqual(files)
  }
}

test('deletes unused new content, complete or not', async () => {
  prepare()
  writeFileSync(join(temp().path, '.notes.md.12.0123456789ab'), 'ne')
  await check({ 'notes.md': 'old\n' })
})

test('ignores new content that another process removes at the same time', async () => {
  for (let i = 0; i < 20; i++) {
    writeFileSync(join(temp().path, `.new.md.${i.toString(16).padStart(12, '0')}`), 'ne')
  }
  await Promise.all([recoverEdits(temp().path), recoverEdits(temp().path)])
  await check({ 'notes.md': 'old\n' })
})

test('deletes an old file after the exchange', async () => {
  exchange(prepare())
  await check({ 'notes.md': 'new\n' })
})

test('moves text appended to the old file to the new one, once', async () => {
  const hidden = prepare()
  exchange(hidden)
  writeFileSync(hidden, 'old\nline\n')
  await check({ 'notes.md': 'new\nline\n' })
  const again = prepare()
  renameSync(again, join(temp().path, 'draft'))
  writeFileSync(again, 'old\nline\n')
  rmSync(join(temp().path, 'draft'))
  await check({ 'notes.md': 'new\nline\n' })
})

test('renames back a file that another program wrote at the moment of the exchange', async () => {
  const hidden = prepare()
  writeFileSync(path(), 'theirs\n')
  exchange(hidden)
  await check({ 'notes.md': 'theirs\n' })
})

test('keeps both versions that another program wrote', async () => {
  const hidden = prepare()
  writeFileSync(path(), 'theirs\n')
  exchange(hidden)
  writeFileSync(join(temp().path, 'draft'), 'later\n')
  renameSync(join(temp().path, 'draft'), path())
  await check({ 'notes.md': 'later\n', 'notes.md.kept': 'theirs\n' })
})

test('keeps the file if an exchange in several steps was interrupted', async () => {
  const hidden = prepare()
  linkSync(path(), `${hidden}~`)
  await check({ 'notes.md': 'old\n' })
  renameSync(path(), `${prepare()}~`)
  await check({ 'notes.md': 'old\n' })
})

test('removes a file, and keeps text that another program wrote', async () => {
  await removeFile(path(), sums('old\n'))
  expect(existsSync(path())).toBe(false)
  writeFileSync(path(), 'old\nline\n')
  await removeFile(path(), sums('old\n'))
  expect(readFileSync(path(), 'utf8')).toBe('line\n')
  await removeFile(path(), sums('other\n'))
  await check({ 'notes.md': 'line\n' })
})
