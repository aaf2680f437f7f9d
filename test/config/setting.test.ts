import { expect, test } from 'bun:test'
import { unknownKeys } from '../../src/config/setting.ts'

test('returns keys that are not settings', () => {
  const check = (content: Record<string, unknown>, expected: string[]) =>
    expect(unknownKeys(content)).toEqual(expected)
  check({ db_path: 'x', table_name: 'y', query: { top_k: 5 } }, [])
  check({ dbpath: 'x', query: { topk: 5, top_k: 5 }, new: { a: 1 } }, [
    'dbpath',
    'query.topk',
    'new',
  ])
  check({ query: 5 }, [])
})
