import { expect, test } from 'bun:test'
import { framed } from '../../src/web/frame.ts'
import { html } from '../../src/web/html.ts'

const right = { ingests: false, memory: null, visitor: null }
const stranger = { formToken: 'x', memory: null, right }

test('no page of ours lets anything run or come in but from here', async () => {
  const answer = framed({ title: '<b>', main: html`` }, { ...stranger, hasLogin: false })
  const policy = answer.headers.get('content-security-policy')!
  expect(policy).toStartWith("default-src 'none'; ")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toMatch(/unsafe|\*|data:|https?:/)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const text = await answer.text()
  expect(text).toContain('<title>&lt;b&gt; · og</title>')
  expect(text).not.toMatch(/<style|style="|<script(?! type="module" src="\/assets\/)| on\w+="/)
})

test('who has logged in can log out', async () => {
  const text = await framed({ title: '', main: html`` }, { ...stranger, hasLogin: true }).text()
  expect(text).toContain('action="/logout"')
})
