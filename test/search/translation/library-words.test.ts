import { expect, test } from 'bun:test'
import { libraryWords } from '../../../src/search/translation/library-words.ts'

test('returns the words by which libraries name a task', () => {
  expect(libraryWords('try the download again later')).toEqual(['retry', 'delay', 'defer'])
  expect(libraryWords('read the body bit by bit')).toContain('stream')
})

test('finds the words of a form with up to two other words between them', () => {
  expect(libraryWords('do not go completely wrong')).toContain('exception')
  expect(libraryWords('go to the shop and buy the wrong bread')).not.toContain('exception')
  expect(libraryWords('is it wrong to go')).not.toContain('exception')
})

test('leaves out words of the query', () => {
  expect(libraryWords('retry it again and again')).toEqual([])
})

test('returns no words for a name and for a pasted text', () => {
  expect(libraryWords('again')).toEqual([])
  expect(libraryWords('tryAgain')).toEqual([])
  expect(libraryWords('once more '.repeat(100))).toEqual([])
})
