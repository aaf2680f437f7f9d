import { expect, test } from 'bun:test'
import { trustedHtml, html, htmlText } from '../../src/web/html.ts'

test('escapes text but not safe markup', () => {
  const name = '<b>"a\'&'
  const made = html`<p title="${name}">${name}${html`<i>${1}</i>`}${[name, html`<br>`]}</p>`
  const safe = '&lt;b&gt;&quot;a&#x27;&amp;'
  expect(htmlText(made)).toBe(`<p title="${safe}">${safe}<i>1</i>${safe}<br></p>`)
  expect(htmlText(html`${trustedHtml('<b>a</b>')}`)).toBe('<b>a</b>')
})

test('renders null, undefined and false as an empty string', () => {
  expect(htmlText(html`a${null}${undefined}${false}${[]}${''}b`)).toBe('ab')
  expect(htmlText(html`${0}`)).toBe('0')
})
