import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishPack } from '../../../src/library/ci/publish-pack.ts'
import { unusedPackName } from '../../../src/library/pack/packs.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

test('never reuses the number of a published pack', () => {
  const check = (taken: string[], expected: string) =>
    expect(unusedPackName(taken, 'a-1.ogpack')).toBe(expected)
  check([], 'a-1.ogpack')
  check(['a-1.ogpack'], 'a-1+2.ogpack')
  check(['a-1+7.ogpack', 'a-1+x.ogpack', 'a-1.0.ogpack'], 'a-1+8.ogpack')
  check(['a-1+2.ogpack.part', 'b-1.ogpack'], 'a-1.ogpack')
})

test('publishes many packs at the same time, each complete and under its own name', async () => {
  await using temp = await createTempFolder('og-publish')
  const packs = Array.from({ length: 8 }, (_, i) => join(temp.path, `new-${i}`))
  packs.forEach((path, i) => writeFileSync(path, `pack ${i}`.repeat(1000)))
  const folder = join(temp.path, 'packs')
  writeFileSync(join(temp.path, 'x'), '')
  await Bun.write(join(folder, '.og-ci.part'), 'left by a run that was killed')
  const names = await Promise.all(
    packs.map((from) => publishPack(folder, { from, library: 'a', version: '1' })),
  )
  expect(new Set(names).size).toBe(8)
  for (const [i, name] of names.entries()) {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(`pack ${i}`.repeat(1000))
  }
  expect(readdirSync(folder)).toHaveLength(8)
})
