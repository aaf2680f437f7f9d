import { expect, test } from 'bun:test'
import { trimCharacters, trimEndCharacters } from '../../../src/platform/text/trim.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'

test('strips characters at both ends', () => {
  function check(text: string, characters: string, both: string, end: string) {
    expect(trimCharacters(text, characters)).toBe(both)
    expect(trimEndCharacters(text, characters)).toBe(end)
  }
  check('//a/b//', '/', 'a/b', '//a/b')
  check(' -a- ', ' -', 'a', ' -a')
  check('///', '/', '', '')
  check('', '/', '', '')
})

test('strips a million characters in linear time', async () => {
  await checkGrowth(
    (length) => `${'/'.repeat(length)}x`,
    (text) => trimCharacters(text, '/'),
  )
})
