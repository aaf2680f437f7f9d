import { beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  appendDurably,
  editFile,
  editTextFile,
  type FileSnapshot,
  appendSynced,
} from '../../../src/platform/file/edit-file.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og edit'))
const path = () => join(temp().path, 'notes.md')
beforeEach(() => void writeFileSync(path(), 'one\n'))

/**
 * Edits the file to upper case; `meanwhile` is another program's change after the file was read.
 */
async function check(
  meanwhile: (nth: number) => void,
  expected: { text: string; plans: number },
  keepsAppended = true,
) {
  let plans = 0
  const plan = (before: FileSnapshot | null) => {
    meanwhile(plans++)
    return before === null ? 'NEW\n' : before.bytes.toString().toUpperCase()
  }
  await editFile(path(), { plan, keepsAppended })
  expect({ text: readFileSync(path(), 'utf8'), plans }).toEqual(expected)
  expect(readdirSync(temp().path).filter((name) => name.startsWith('.'))).toEqual([])
}

const first = (change: () => void) => (nth: number) => (nth === 0 ? change() : undefined)
/** Opens the file now, and changes and closes it after the new content has taken its name. */
const late = (flags: string, change: (fd: number) => void) =>
  first(() => {
    const fd = openSync(path(), flags)
    setTimeout(() => {
      change(fd)
      closeSync(fd)
    }, 60)
  })

test('edits once if no other program interferes', () =>
  check(() => {}, { text: 'ONE\n', plans: 1 }))

test('moves appended text after the new content', () =>
  check(() => appendFileSync(path(), 'two\n'), { text: 'ONE\ntwo\n', plans: 1 }))

test('moves text appended through a descriptor of the old file after the new content', () =>
  check(
    late('a', (fd) => writeSync(fd, 'two\n')),
    { text: 'ONE\ntwo\n', plans: 1 },
  ))

test('keeps an appended line separate', async () => {
  const plan = () => {
    appendFileSync(path(), 'two\n')
    return 'no line end'
  }
  await editFile(path(), { plan, keepsAppended: true })
  expect(readFileSync(path(), 'utf8')).toBe('no line end\ntwo\n')
})

test('plans the edit again after any other change', async () => {
  const beside = join(temp().path, 'beside')
  await check(
    first(() => {
      writeFileSync(beside, 'by hand\n')
      renameSync(beside, path())
    }),
    { text: 'BY HAND\n', plans: 2 },
  )
  await check(
    first(() => writeFileSync(path(), 'in place\n')),
    { text: 'IN PLACE\n', plans: 2 },
  )
  await check(
    first(() => rmSync(path())),
    { text: 'NEW\n', plans: 2 },
  )
})

test('plans again after a change through a descriptor of the old file', () =>
  check(
    late('r+', (fd) => writeSync(fd, 'xyz', 0)),
    { text: 'XYZ\n', plans: 2 },
  ))

test('plans again after an append if appended text is not kept separately', async () => {
  await check(
    first(() => appendFileSync(path(), 'two\n')),
    { text: 'ONE\nTWO\n', plans: 2 },
    false,
  )
  const append = late('a', (fd) => writeSync(fd, 'three\n'))
  await check(append, { text: 'ONE\nTWO\nTHREE\n', plans: 2 }, false)
})

test('edits a file that another program creates in the meantime', async () => {
  rmSync(path())
  await check(
    first(() => writeFileSync(path(), 'theirs\n')),
    { text: 'THEIRS\n', plans: 2 },
  )
})

test('fails if another program keeps changing the file, and keeps the last change', async () => {
  const edit = check((nth) => writeFileSync(path(), `${nth}`), { text: '', plans: 0 })
  await expect(edit).rejects.toThrow(`Cannot edit ${path()}: another program keeps changing it`)
  expect(readFileSync(path(), 'utf8')).toBe('19')
})

test('fails if a file stays open for writing, and keeps everything written to it', async () => {
  const fd = openSync(path(), 'a')
  const edit = () => check(() => {}, { text: 'ONE\n', plans: 1 })
  if (process.platform === 'linux') {
    await expect(edit()).rejects.toThrow('another program keeps it open for writing')
    writeSync(fd, 'two\n')
    expect(readFileSync(path(), 'utf8')).toBe('one\ntwo\n')
  }
  closeSync(fd)
  expect(readdirSync(temp().path)).toEqual(['notes.md'])
})

test('does not write if the plan returns null', async () => {
  const { ino } = statSync(path())
  expect(await editFile(path(), { plan: () => null, keepsAppended: true })).toBeNull()
  expect(statSync(path()).ino).toBe(ino)
})

test('keeps mode and symbolic link, or creates the file with the given mode', async () => {
  const link = join(temp().path, 'link')
  chmodSync(path(), 0o600)
  symlinkSync(path(), link)
  await editFile(link, { plan: () => 'two', keepsAppended: false, mode: 0o644 })
  expect(readFileSync(path(), 'utf8')).toBe('two')
  expect([statSync(path()).mode & 0o777, lstatSync(link).isSymbolicLink()]).toEqual([0o600, true])
  const fresh = join(temp().path, 'fresh')
  await editFile(fresh, { plan: () => 'x', keepsAppended: false, mode: 0o640 })
  expect(statSync(fresh).mode & 0o777).toBe(0o640)
})

test('rejects a dangling link and a folder', async () => {
  const link = join(temp().path, 'link')
  symlinkSync(join(temp().path, 'gone'), link)
  const edit = (one: string) => editFile(one, { plan: () => 'x', keepsAppended: false })
  await expect(edit(link)).rejects.toThrow('it is a link that leads nowhere')
  await expect(edit(temp().path)).rejects.toThrow('it is a folder, not a file')
})

test('appends again if the file was replaced in the meantime', async () => {
  const beside = join(temp().path, 'beside')
  writeFileSync(beside, 'theirs\n')
  const appended = appendDurably(path(), Buffer.from('ours\n'))
  renameSync(beside, path())
  await appended
  expect(readFileSync(path(), 'utf8')).toBe('theirs\nours\n')
})

test('keeps every key if many edits create the same file at once', async () => {
  const keys = Array.from({ length: 16 }, (_, i) => `key${i}`)
  for (let round = 0; round < 100; round++) {
    const file = join(temp().path, `${round}.json`)
    await Promise.all(
      keys.map(async (key, i) => {
        if (i % 3 > 0) await Bun.sleep(2 * Math.random())
        await editTextFile(file, {
          plan: (text) => JSON.stringify({ ...JSON.parse(text ?? '{}'), [key]: true }),
        })
      }),
    )
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8'))).sort()).toEqual(keys.toSorted())
  }
})

test('appends text and bytes, and creates the file', async () => {
  await using temp = await createTempFolder('og append')
  const path = join(temp.path, 'a')
  await appendSynced(path, 'ü')
  const { size, ino } = await appendSynced(path, Buffer.from([10]))
  expect(readFileSync(path, 'utf8')).toBe('ü\n')
  expect([size, ino]).toEqual([3, statSync(path).ino])
})
