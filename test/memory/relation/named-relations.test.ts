import { expect, test } from 'bun:test'
import { emptyIndex } from '../../../src/memory/index/memory-index.ts'
import { openEntityRelations, type EntityRelations } from '../../../src/memory/memory-search.ts'
import { openTestMemory, type TestMemory } from '../../support/memory/memory-search.ts'

const graph = `# Relations

- [Ann Lee] --works at--> [Acme] (2026-01-02) - "since May"
- [Ann_1] --knows--> [C++]
  - [Bob] --likes--> [Ann Lee]
<!-- past {"subject":"Ann Lee","predicate":"works at","object":"Globex"} -->
- [日本] --has--> [Tōkyō]
- no relation of Ann Lee at all
`

type Steps = (named: EntityRelations, memory: TestMemory) => void | Promise<void>

async function steps(relations: string, run: Steps) {
  await using memory = await openTestMemory({ 'RELATIONS.md': relations })
  await memory.search.sync()
  await run(openEntityRelations(memory.search.index), memory)
}

const works = '[Ann Lee] --works at--> [Acme] (2026-01-02) - "since May"'
const knows = '[Ann_1] --knows--> [C++]'
const likes = '[Bob] --likes--> [Ann Lee]'
const has = '[日本] --has--> [Tōkyō]'

/** Expects the relations of the entities that each text names. */
const check = (...cases: [string, string[]][]) =>
  steps(graph, (named) => {
    for (const [text, expected] of cases) {
      expect([text, named.in(text, 9)]).toEqual([text, expected])
    }
  })

test('matches whole names in any case, as subject or object', () =>
  check(
    ['does ann lee, the founder, like it?', [likes, works]],
    ['ACME.', [works]],
    ['Ann', []],
    ['Lee Ann', []],
    ['Ann met Lee', []],
    ['Acmeist', []],
    ['', []],
  ))

test('treats no character as a wildcard, and matches names in other scripts', () =>
  check(
    ['about ann_1', [knows]],
    ['about annx1', []],
    ['% _ .*', []],
    ['learn C++ now', [knows]],
    ['日本の会議', [has]],
    ['tokyo', [has]],
  ))

test('returns each line once, newest first, up to the limit', () =>
  steps(graph, (named) => {
    const text = 'Acme, Ann Lee, Bob, and Ann Lee again'
    expect(named.in(text, 9)).toEqual([likes, works])
    expect(named.in(text, 1)).toEqual([likes])
  }))

test('returns a relation between an entity and itself once', () =>
  steps('- [Ann] --is--> [ANN]\n', (named) => {
    expect(named.in('ann', 9)).toEqual(['[Ann] --is--> [ANN]'])
  }))

test('returns nothing if there are no relations', () =>
  steps('# Relations\n', (named) => expect(named.in('Ann Lee', 9)).toEqual([])))

test('rereads relations after any are added, removed or changed', () =>
  steps('- [Ann] --knows--> [Bob]\n', async (named, memory) => {
    const after = async (text: string) => {
      memory.put('RELATIONS.md', text)
      await memory.search.sync()
      return named.in('Ann', 9)
    }
    expect(named.in('Ann', 9)).toEqual(['[Ann] --knows--> [Bob]'])
    expect(await after('- [Ann] --knows--> [Carl]\n')).toEqual(['[Ann] --knows--> [Carl]'])
    const two = '- [Ann] --knows--> [Carl]\n- [Ann] --likes--> [tea]\n'
    expect(await after(two)).toEqual(['[Ann] --likes--> [tea]', '[Ann] --knows--> [Carl]'])
    expect(await after('')).toEqual([])
  }))

test('rereads relations after the index was recreated with the same ids', () =>
  steps('- [Ann] --knows--> [Bob]\n', async (named, memory) => {
    expect(named.in('Ann', 9)).toEqual(['[Ann] --knows--> [Bob]'])
    emptyIndex(memory.search.index)
    memory.put('RELATIONS.md', '- [Ann] --knows--> [Carl]\n')
    await memory.search.sync()
    expect(named.in('Ann', 9)).toEqual(['[Ann] --knows--> [Carl]'])
  }))
