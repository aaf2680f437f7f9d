import { expect, test } from 'bun:test'
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exchangeFiles, hasWriter } from '../../../src/platform/file/exchange.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { testWhere } from '../../support/where.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og exchange'))

test('exchanges the names of two files and leaves no other file', () => {
  const [a, b] = ['ä one', 'b'].map((name) => join(temp.path, name)) as [string, string]
  writeFileSync(a, 'first')
  writeFileSync(b, 'second')
  exchangeFiles(a, b)
  expect([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')]).toEqual(['second', 'first'])
  expect(readdirSync(temp.path).sort()).toEqual(['b', 'ä one'])
})

test('fails if a file is missing, and the other file keeps its name', () => {
  const path = join(temp.path, 'alone')
  writeFileSync(path, 'x')
  expect(() => exchangeFiles(path, join(temp.path, 'gone'))).toThrow('ENOENT')
  expect(readFileSync(path, 'utf8')).toBe('x')
})

const onLinux = testWhere(process.platform === 'linux' ? null : 'only Linux has leases')
onLinux('a file has a writer until all descriptors for writing are closed', () => {
  const path = join(temp.path, 'written')
  writeFileSync(path, 'x')
  const reader = openSync(path, 'r')
  const writers = [openSync(path, 'a'), openSync(path, 'r+')]
  const found = [hasWriter(reader)]
  for (const fd of writers) {
    closeSync(fd)
    found.push(hasWriter(reader))
  }
  closeSync(reader)
  expect(found).toEqual([true, true, false])
})
