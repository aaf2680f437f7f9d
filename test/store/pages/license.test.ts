import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readLicense, writeLicense } from '../../../src/store/pages/license.ts'

test('stores text unchanged and verifies it when it is read', async () => {
  await using temp = await createTempFolder('og-kept-license')
  expect(await readLicense(temp.path)).toBe(null)
  await writeLicense(temp.path, '\ufeffAs is: ©\n')
  expect(await readLicense(temp.path)).toBe('\ufeffAs is: ©\n')
  const refuse = () => {
    throw new Error('damaged')
  }
  await expect(readLicense(temp.path, refuse)).rejects.toThrow('damaged')
  await expect(readLicense(join(temp.path, 'license.txt'))).rejects.toThrow('ENOTDIR')
})
