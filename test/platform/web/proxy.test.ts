import { expect, test } from 'bun:test'
import { isProxied, type ProxyEnvironment } from '../../../src/platform/web/web.ts'

function check(url: string, env: ProxyEnvironment, expected: boolean): void {
  expect(isProxied(new URL(url), env)).toBe(expected)
}

const both = { HTTP_PROXY: 'http://p:1', https_proxy: 'http://p:1' }

test('chooses the proxy by scheme, in any case', () => {
  check('http://x.org/', {}, false)
  check('http://x.org/', both, true)
  check('https://x.org/', both, true)
  check('https://x.org/', { HTTP_PROXY: 'http://p:1' }, false)
  check('http://x.org/', { HTTP_PROXY: '' }, false)
})

test('skips the proxy for hosts in NO_PROXY', () => {
  const check1 = (url: string, list: string, expected: boolean) =>
    check(url, { ...both, NO_PROXY: list }, expected)
  check1('http://x.org/', '*', false)
  check1('http://x.org/', 'y.org, x.org', false)
  check1('http://a.x.org/', 'x.org', false)
  check1('http://a.x.org/', '.x.org', false)
  check1('http://a.x.org/', '*.x.org', false)
  check1('http://ax.org/', 'x.org', true)
  check1('http://x.org/', 'x.org:8080', true)
  check1('http://x.org:8080/', 'x.org:8080', false)
  check1('http://127.0.0.1:1/', 'localhost,127.0.0.1', false)
  check1('http://x.org/', '', true)
})
