import { parseHTML } from 'linkedom/worker'
import type { HtmlElement } from '../../../src/page/html/article.ts'

/** The root of a document with this body, as the parser of HTML makes it. */
export function htmlRoot(body: string): HtmlElement {
  const { document } = parseHTML(`<html><head><title>t</title></head><body>${body}</body></html>`)
  return document.documentElement as unknown as HtmlElement
}

/** The first element of a body that a selector names. */
export function htmlElement(body: string, selector: string): HtmlElement {
  return htmlRoot(body).querySelector(selector)!
}
