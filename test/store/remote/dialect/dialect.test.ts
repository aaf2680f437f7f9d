import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../../src/platform/file/files.ts'
import { md5 } from '../../../../src/store/remote/dialect/dialect.ts'

test('computes the same checksum for a string and for a file that contains it', async () => {
  await using temp = await createTempFolder('og sum')
  const path = join(temp.path, 'file')
  await Bun.write(path, 'abc')
  for (const body of ['abc', { path, size: 3, sha256: '' }]) {
    expect(await md5(body)).toBe('kAFQmDzST7DWlj99KOF/cg==')
  }
})
