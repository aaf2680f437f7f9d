import { expect, test } from 'bun:test'
import { splitVersion } from '../../src/version/package-name.ts'

function check(typed: [string | null, string | null], expected: [string | null, string | null]) {
  const [library, version] = typed
  const named = splitVersion({ library, version })
  expect([named.library, named.version]).toEqual(expected)
}

test('treats a version after @ like the option -v', () => {
  check(['fastapi@0.115.0', null], ['fastapi', '0.115.0'])
  check(['fastapi@0.115.0', '0.115.0'], ['fastapi', '0.115.0'])
  check(['@scope/ui@2', null], ['@scope/ui', '2'])
  check(['a@>=2 <3', null], ['a', '>=2 <3'])
  check(['npm:@scope/ui@2', null], ['npm:@scope/ui', '2'])
})

test('leaves other names unchanged', () => {
  check([null, '1'], [null, '1'])
  check(['fastapi', '1'], ['fastapi', '1'])
  check(['@scope/ui', null], ['@scope/ui', null])
  check(['npm:@scope/ui', null], ['npm:@scope/ui', null])
  check(['a,@scope/ui', '1'], ['a,@scope/ui', '1'])
})

test('throws if the version is ambiguous', () => {
  const fails = (library: string, version: string | null, message: string) =>
    expect(() => splitVersion({ library, version })).toThrow(message)
  fails('a@1', '2', 'Cannot search "a@1" in version "2": it contains another version')
  fails('a@1,b', null, 'Cannot search "a@1,b": a list of libraries cannot contain versions')
  fails('a@', null, 'Cannot search "a@": there is no version after "@"')
})
