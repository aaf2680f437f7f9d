import { parseHTML } from 'linkedom/worker'
import type { HtmlElement } from '../../../src/formats/html/article.ts'

/** Parses a body and returns the root of its document. */
export function htmlRoot(body: string): HtmlElement {
  const { document } = parseHTML(`<html><head><title>t</title></head><body>${body}</body></html>`)
  return document.documentElement as unknown as HtmlElement
}

/** Parses a body and returns the first element that a selector matches. */
export function htmlElement(body: string, selector: string): HtmlElement {
  return htmlRoot(body).querySelector(selector)!
}
