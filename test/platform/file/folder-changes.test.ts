import { beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { folderChanges } from '../../../src/platform/file/folder-changes.ts'
import { writeFiles } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og watch ü'))
const folder = () => join(temp().path, 'docs')
beforeEach(() => void writeFiles(folder(), { 'a.md': '1', 'sub/b.md': '1' }))

/**
 * Runs one step after each detected change, and then stops. @returns the number of detected changes
 */
async function check(steps: (() => void)[], isWanted?: (path: string) => boolean): Promise<number> {
  const controller = new AbortController()
  const options = { signal: controller.signal, quietMs: 50, ...(isWanted ? { isWanted } : {}) }
  let noticed = 0
  for await (const _ of folderChanges(folder(), options)) {
    const step = steps[noticed++]
    if (step) step()
    else controller.abort()
  }
  return noticed
}

const write = (path: string, text: string) => () => writeFiles(folder(), { [path]: text })

test('detects a change anywhere below the folder, once per burst of changes', async () => {
  const burst = () => {
    for (const path of ['a.md', 'sub/b.md', 'new/deep/c.md']) write(path, '2')()
  }
  expect(await check([burst, write('sub/b.md', '3'), write('new/deep/c.md', '3')])).toBe(4)
})

test('ignores changes to other paths', async () => {
  const seen: string[] = []
  const isWanted = (path: string) => (seen.push(path), !path.startsWith('.git'))
  let isChanged = false
  const change = () => {
    isChanged = true
    write('a.md', '2')()
  }
  const both = () => {
    write('.git/index', 'x')()
    setTimeout(change, 300)
  }
  expect(await check([both], isWanted)).toBe(2)
  // The change of the page ended the wait, not an earlier change.
  expect(isChanged).toBe(true)
  expect(seen.some((path) => path.startsWith('.git'))).toBe(true)
})

test('continues after the folder was deleted and recreated', async () => {
  const vanish = () => rmSync(folder(), { recursive: true })
  const steps = [vanish, write('a.md', '1'), write('a.md', '2')]
  expect(await check(steps)).toBe(4)
})

test('ends without a change on an abort, and does not start after one', async () => {
  const controller = new AbortController()
  const options = { signal: controller.signal, quietMs: 50 }
  const changes = folderChanges(folder(), options)
  expect((await changes.next()).done).toBe(false)
  setTimeout(() => controller.abort(), 50)
  expect((await changes.next()).done).toBe(true)
  expect((await folderChanges(folder(), options).next()).done).toBe(true)
})
