import type { HtmlElement } from './article.ts'

/**
 * Whether an element is not part of the documentation: navigation, banners, permalinks, line
 * numbers, edit links. Runs for every element of a page, so it uses no selectors, and takes the
 * value of the class attribute from the caller.
 */
export function isNoise(element: HtmlElement, className: string): boolean {
  if (noiseNames.has(element.nodeName)) return true
  const role = element.getAttribute('role')
  if (role !== null && noiseRoles.has(role)) return true
  if (element.getAttribute('hidden') !== null && role !== 'tabpanel') return true
  if (className !== '' && hasNoiseClass(className, element)) return true
  const id = element.getAttribute('id')
  return id !== null && noiseIds.test(id)
}

const noiseNames = new Set([
  // Never content.
  'SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'SVG', 'svg', 'IFRAME', 'CANVAS', 'OBJECT', 'EMBED',
  'BUTTON', 'SELECT', 'DIALOG',
  // Around the content.
  'NAV', 'FOOTER', 'HEADER', 'ASIDE',
])

const noiseRoles = new Set(['navigation', 'banner', 'contentinfo', 'search', 'dialog'])

const noiseIds = /cookie-(?:banner|consent)|^jb-print-(?:docs-body|toc)$/

const partOfClass =
  /breadcrumb|edit-this-page|cookie-?(?:banner|consent)/

const noiseClasses = new Set([
  'sr-only', 'visually-hidden', 'screen-reader-text', 'pagination-nav', 'prev-next-footer',
  'article-header-buttons', 'bd-sidebar-secondary', 'table-of-contents', 'toc', 'toctree-wrapper',
  'skip-link', 'last-updated', 'feedback', 'footnote-backref', 'viewcode-link', 'md-consent',
  'md-source-file', 'md-content__button',
  // Within headings and code.
  'headerlink', 'header-anchor', 'hash-link', 'anchor-link', 'linenos', 'linenodiv', 'lineno',
  'line-numbers-wrapper', 'copybtn',
])

function hasNoiseClass(name: string, element: HtmlElement): boolean {
  if (partOfClass.test(name)) return true
  const classes = name.split(/\s+/)
  if (classes.some((part) => noiseClasses.has(part))) return true
  // VitePress writes the language over its code.
  const around = element.parentNode
  return classes.includes('lang') && around?.nodeName === 'DIV'
    && (around.getAttribute('class') ?? '').includes('language-')
}
