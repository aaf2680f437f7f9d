import { describe, expect, test } from 'bun:test'
import { allowedHost, isAllowed, parseReach } from '../../src/platform/reach.ts'

describe('accepts an allowed host', () => {
  const check = (typed: string, expected: string) =>
    test(typed, () => expect(allowedHost(typed)).toBe(expected))

  check('docs.corp.example', 'docs.corp.example')
  check('Docs.Corp.Example.', 'docs.corp.example')
  check('10.0.0.7:8080', '10.0.0.7:8080')
  check('0x7f.1', '127.0.0.1')
  check('::1', '[::1]')
  check('[FD00::7]:80', '[fd00::7]:80')

  test('rejects every other host', () => {
    for (const typed of [
      '',
      'http://x',
      'x/y',
      '*',
      '*.corp',
      'a b',
      'u@x',
      'x:',
      'x:99999',
      ':80',
      '[::1',
      'x:80:90',
    ])
      expect(() => allowedHost(typed), typed).toThrow('Cannot allow')
  })
})

test('accepts only the given port', () => {
  const reach = { hosts: ['docs.corp', '10.0.0.7:443'], folder: null }
  const check = (url: string, expected: boolean) =>
    expect(isAllowed(reach, new URL(url)), url).toBe(expected)
  check('http://docs.corp/', true)
  check('http://DOCS.corp.:8080/', true)
  check('http://a.docs.corp/', false)
  check('https://10.0.0.7/', true)
  check('http://10.0.0.7/', false)
  check('http://10.0.0.7:443/', true)
  check('http://10.0.0.8:443/', false)
})

test('parses a reach that a server wrote, and rejects other text', () => {
  const reach = { hosts: ['docs.corp:80', '[::1]'], folder: '/project' }
  expect(parseReach(JSON.stringify(reach))).toEqual(reach)
  for (const text of [
    '',
    'x',
    'null',
    '[]',
    '{}',
    '{"hosts":[]}',
    '{"hosts":"*","folder":null}',
    '{"hosts":[1],"folder":null}',
    '{"hosts":["*"],"folder":null}',
  ]) {
    expect(() => parseReach(text), text).toThrow('Cannot')
  }
})
