import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWordList } from '../../src/embed/word-list.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'

test('knows the whole words of a vocabulary', async () => {
  await using temp = await createTempFolder('og-word-list')
  const path = join(temp.path, 'tokenizer.json')
  writeFileSync(path, '{"model":{"vocab":{"move": 1, "##over": 2}}}')
  const isEnglish = openWordList(path)
  expect(await Promise.all(['move', 'over', 'mov'].map(isEnglish))).toEqual([true, false, false])
  expect(await openWordList(null)('move')).toBe(false)
})
