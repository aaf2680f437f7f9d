/** Behaviour that a browser with JavaScript adds; the pages work without it. */

const root = document.documentElement
root.classList.add('script')
if (navigator.clipboard) root.classList.add('clipboard')

/** The one place where text becomes markup; the text is always markup from this server. */
const markup = window.trustedTypes
  ? window.trustedTypes.createPolicy('og', { createHTML: (text) => text })
  : { createHTML: (text) => text }

const form = document.querySelector('#search')
if (form) search(form)
focusLastHit()
const jobs = document.querySelector('#jobs')
if (jobs) follow(jobs)
for (const code of document.querySelectorAll('.page pre')) addCopyButton(code)
for (const text of document.querySelectorAll('.page p:has(> code:only-child), .page p:has(> code + br)')) {
  if (isSignature(text)) addCopyButton(text)
}
switchTabs()
addAnchors()
followReading()
document.addEventListener('keydown', shortcut)
document.addEventListener('click', openHit)
document.addEventListener('click', copy)
document.addEventListener('click', closeMenus)

/** Keeps the list of jobs current; reloads the page when a job has ended, unless one is writing. */
function follow(place) {
  const count = () => Number(place.querySelector('.jobs').dataset.running)
  let source = null
  let latest = ''
  let isTyped = false
  document.addEventListener('input', () => (isTyped = true))
  document.addEventListener('visibilitychange', listen)
  listen()
  focusAgain(document, history.state?.focused)
  history.replaceState(null, '')
  /** A hidden tab does not listen: a browser has six connections to a server for all its tabs. */
  function listen() {
    source?.close()
    if (document.hidden) return
    source = new EventSource('/jobs/events')
    source.addEventListener('message', ({ data }) => {
      latest = data
      show()
    })
  }
  function show() {
    // A button that goes while it is pressed does nothing.
    if (place.querySelector('button:active')) return setTimeout(show, 50)
    const before = count()
    const focused = focusKey(place)
    const isOpen = place.querySelector('details')?.open
    place.innerHTML = markup.createHTML(latest)
    if (isOpen) place.querySelector('details')?.setAttribute('open', '')
    focusAgain(place, focused)
    const isWriting = isTyped || document.activeElement?.matches('input, select, textarea')
    if (count() < before && !isWriting) reload()
  }
}

/** Adds a link to itself to each heading, which shows on hover. */
function addAnchors() {
  for (const heading of headings()) {
    if (heading.querySelector('a')) continue
    const link = document.createElement('a')
    Object.assign(link, { className: 'anchor', href: `#${encodeURIComponent(heading.id)}` })
    link.setAttribute('aria-label', `Link to "${heading.textContent}"`)
    heading.append(link)
  }
}

function headings() {
  return [...document.querySelectorAll('.page :is(h1, h2, h3, h4, h5, h6)[id]')]
}

/**
 * Marks the section being read in the outline, and scrolls the open page of the tree into sight. In
 * a small window both are closed, because they would precede the text.
 */
function followReading() {
  closeIn('.contents', '(min-width: 80rem)')
  closeIn('.outline', '(min-width: 64rem)')
  const tree = document.querySelector('.contents')
  const open = tree?.querySelector('[aria-current]')
  if (open && tree.scrollHeight > tree.clientHeight) {
    tree.scrollTop = open.getBoundingClientRect().top - tree.getBoundingClientRect().top - tree.clientHeight / 3
  }
  const outline = document.querySelector('.outline')
  if (!outline) return
  const links = new Map([...outline.querySelectorAll('a')].map((link) => [decodeURIComponent(link.hash.slice(1)), link]))
  const all = headings().filter(({ id }) => links.has(id))
  const near = new Set()
  const mark = (heading) => {
    for (const link of links.values()) link.removeAttribute('aria-current')
    links.get(heading?.id)?.setAttribute('aria-current', 'true')
  }
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) near.add(target)
      else near.delete(target)
    }
    const first = all.find((heading) => near.has(heading))
    if (first) return mark(first)
    // A heading that left through the bottom is no longer read, but the one before it.
    const left = entries.find(({ boundingClientRect: { top }, rootBounds }) => top >= rootBounds?.bottom)
    const at = left ? all.indexOf(left.target) : 0
    if (at > 0 && links.get(left.target.id).hasAttribute('aria-current')) mark(all[at - 1])
  }, { rootMargin: '0px 0px -65% 0px' })
  for (const heading of all) observer.observe(heading)
}

/** Closes a list of links, unless the window has room for it beside the text. */
function closeIn(place, room) {
  const list = document.querySelector(`${place} details`)
  if (list && !matchMedia(room).matches) list.open = false
}

/** What has the focus has it after the reload too. */
function reload() {
  history.replaceState({ focused: focusKey(document) }, '')
  location.reload()
}

/** What tells the element with the focus from others: of buttons, the fields of their forms too. */
function focusKey(place) {
  const focused = place.querySelector(':focus')
  return focused && keyOf(focused)
}

/** Who reads further down stays there. */
function focusAgain(place, key) {
  const all = [...place.querySelectorAll('a, button, summary, [tabindex]')]
  all.find((it) => keyOf(it) === key)?.focus({ preventScroll: true })
}

function keyOf(element) {
  const { outerHTML } = element.form ?? element
  // The table of libraries changes with each job, and is the only one of its kind.
  return element.matches('.wide') ? outerHTML.slice(0, outerHTML.indexOf('<thead')) : outerHTML
}

document.addEventListener('click', keepPlace)

/** Makes a link to another version of the page open at the heading being read. */
function keepPlace(event) {
  const link = event.target.closest?.('[data-same-place]')
  if (!link) return
  const passed = headings().filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3)
  if (scrollY > 0 && passed.length > 0) link.hash = passed.at(-1).id
}

/** Searches while the user types: by words at once, and by meaning when typing pauses. */
function search(form) {
  const field = form.elements.q
  const results = document.querySelector('#results')
  const said = document.querySelector('#said')
  const pauseMs = 200
  /** An answer that takes longer is announced: the first one opens indexes and the model. */
  const slowMs = 400
  let under = new AbortController()
  let timer = 0

  const filledFields = () => {
    const all = [...new FormData(form)].map(([name, value]) => [name, value.trim()])
    return new URLSearchParams(all.filter(([, value]) => value !== ''))
  }

  /**
   * Asks for hits and shows them. Hits by words are shown until those by meaning come, however late
   * they are: a server that has just started takes longer than the pause for both.
   */
  async function ask(by) {
    const own = under
    const { signal } = own
    const params = filledFields()
    history.replaceState(null, '', params.size > 0 ? `/?${params}` : '/')
    document.title = `${params.get('q') || 'Search'} · og`
    if (by) params.set('by', by)
    results.classList.add('waiting')
    const slow = setTimeout(() => {
      results.classList.add('slow')
      said.textContent = 'Searching'
    }, slowMs)
    own.signal.addEventListener('abort', () => clearTimeout(slow))
    try {
      const answer = await fetch(`/hits?${params}`, { signal })
      const isMarkup = answer.headers.get('content-type')?.startsWith('text/html')
      if (!isMarkup) throw new Error(`status ${answer.status}`)
      const text = await answer.text()
      // A redirect leads to the login: the token was changed, or the login has expired.
      if (answer.redirected) return location.reload()
      if (signal.aborted) return
      clearTimeout(slow)
      show(text)
      results.classList.remove('waiting', 'slow')
      results.dataset.asked = by ? '' : (params.get('q') ?? '')
      if (by) return
      said.textContent = summary()
      own.abort()
    } catch (error) {
      if (signal.aborted) return
      results.textContent = `The server does not answer: ${error.message}`
      said.textContent = results.textContent
      clearTimeout(slow)
      results.classList.remove('waiting', 'slow')
    }
  }

  /** What a screen reader says of the hits; it reads what has the role of an alert by itself. */
  function summary() {
    const lines = [...results.querySelectorAll('.count, .weak')]
    return lines.map((line) => (line.querySelector('.found') ?? line).textContent).join('. ')
  }

  /** Shows the hits; the hit that had the focus keeps it. */
  function show(text) {
    const focused = document.activeElement?.closest?.('.hit')?.dataset.href
    results.innerHTML = markup.createHTML(text)
    if (focused) focusHit(focused)
  }

  /** Searches for what the form says now; aborts what was asked before. */
  function typed(words) {
    clearTimeout(timer)
    under.abort()
    under = new AbortController()
    if (words) void ask('words')
    timer = setTimeout(ask, words ? pauseMs : 0)
  }

  field.addEventListener('input', () => typed(true))
  form.addEventListener('change', (event) => event.target !== field && typed(false))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    typed(false)
  })
  field.addEventListener('keydown', (event) => {
    if (event.isComposing) return
    if (event.key === 'Tab' && !event.shiftKey && chooseLibrary(form)) {
      event.preventDefault()
      typed(false)
    }
    if (event.key === 'Backspace' && field.value === '' && leaveLibrary(form)) typed(false)
  })
}

/** For `fastapi ⇥`: chooses the library whose name, or unique beginning of it, was typed. */
function chooseLibrary({ elements }) {
  const typed = elements.q.value.trim().toLowerCase()
  const named = libraries(elements).filter(({ value }) => value !== '')
  const starting = named.filter(({ value }) => value.toLowerCase().startsWith(typed))
  const meant = named.find(({ value }) => value.toLowerCase() === typed)
    ?? (starting.length === 1 ? starting[0] : undefined)
  if (typed === '' || meant === undefined) return false
  choose(meant)
  elements.q.value = ''
  return true
}

function leaveLibrary({ elements }) {
  const all = libraries(elements).find(({ value }) => value === '')
  if (all === undefined || all.checked || all.selected) return false
  choose(all)
  return true
}

/** The libraries to choose from: radio buttons shown as chips, or options of a list. */
function libraries({ library }) {
  if (library === undefined) return []
  return library instanceof RadioNodeList ? [...library] : [...library.options]
}

function choose(one) {
  if (one instanceof HTMLOptionElement) one.selected = true
  else one.checked = true
}

function shortcut(event) {
  // Who composes a word goes through its spellings by the same keys.
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
  const field = (form ?? document.querySelector('.find'))?.elements.q
  const isWriting = event.target.closest?.('input:not([type="radio"]), textarea, select') !== null
  const hit = event.target.closest?.('.hit')
  if (event.key === '/' && !isWriting) {
    event.preventDefault()
    if (!field) return location.assign('/')
    field.focus()
    field.select()
  } else if (event.key === '?' && !isWriting) {
    document.querySelector('#keys')?.showModal()
  } else if (event.key === 'Escape' && document.querySelector('.menu[open]')) {
    const menu = document.querySelector('.menu[open]')
    menu.open = false
    menu.querySelector('summary').focus()
  } else if (event.key === 'Escape' && hit) {
    field?.focus()
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && (hit || event.target === field)) {
    moveTo(event, hit, field)
  }
}

/** Closes the open menus, except the one that was clicked. */
function closeMenus({ target }) {
  for (const menu of document.querySelectorAll('.menu[open]')) {
    if (!menu.contains(target)) menu.open = false
  }
}

/**
 * Shows one of several neighbouring tabs at a time. The URL lists the chosen labels, which select
 * the tabs of every group. The browser's search in the page also finds text in hidden tabs.
 */
function switchTabs() {
  const groups = [...document.querySelectorAll('.page .tab:not(.tab + .tab)')].flatMap(tabGroups)
  groups.forEach(addTabBar)
  for (const label of new URL(location).searchParams.getAll('tab')) selectTabs(label)
  revealTarget()
  window.addEventListener('hashchange', revealTarget)
  document.addEventListener('beforematch', ({ target }) => reveal(target))
}

function labelOf(tab) {
  return tab.querySelector(':scope > .note-title')?.textContent.trim() ?? ''
}

/** Divides a run of tabs into groups of at least two; a repeated label begins the next group. */
function tabGroups(first) {
  const groups = [[]]
  for (let tab = first; tab?.matches('.tab'); tab = tab.nextElementSibling) {
    if (groups.at(-1).some((other) => labelOf(other) === labelOf(tab))) groups.push([])
    groups.at(-1).push(tab)
  }
  return groups.filter((group) => group.length > 1)
}

function addTabBar(tabs, at) {
  const bar = document.createElement('div')
  bar.className = 'tab-bar'
  bar.setAttribute('role', 'tablist')
  bar.setAttribute('aria-label', 'Tabs')
  tabs.forEach((tab, i) => {
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', textContent: labelOf(tab), id: `og-tab-${at}-${i}` })
    button.setAttribute('role', 'tab')
    tab.id ||= `og-panel-${at}-${i}`
    button.setAttribute('aria-controls', tab.id)
    tab.setAttribute('role', 'tabpanel')
    tab.setAttribute('aria-labelledby', button.id)
    tab.classList.add('switched')
    bar.append(button)
  })
  tabs[0].before(bar)
  select(bar.children[0])
  bar.addEventListener('click', ({ target }) => target.matches('[role="tab"]') && choose(target))
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const buttons = [...bar.children]
    const next = step && buttons.at((buttons.indexOf(event.target) + step) % buttons.length)
    if (!next) return
    event.preventDefault()
    choose(next)
    next.focus()
  })
  /** Selects the tabs with this label in all groups, without moving the chosen one on the screen. */
  function choose(button) {
    const before = button.getBoundingClientRect().top
    selectTabs(button.textContent)
    scrollBy(0, button.getBoundingClientRect().top - before)
    const url = new URL(location)
    const siblings = [...bar.children].map((other) => other.textContent)
    const kept = url.searchParams.getAll('tab').filter((label) => !siblings.includes(label))
    url.searchParams.delete('tab')
    for (const label of [...kept, button.textContent]) url.searchParams.append('tab', label)
    history.replaceState(history.state, '', url)
  }
}

function selectTabs(label) {
  const buttons = document.querySelectorAll('.tab-bar > [role="tab"]')
  for (const button of buttons) if (button.textContent === label) select(button)
}

function select(button) {
  for (const other of button.parentElement.children) {
    const isChosen = other === button
    other.setAttribute('aria-selected', isChosen)
    other.tabIndex = isChosen ? 0 : -1
    const panel = document.getElementById(other.getAttribute('aria-controls'))
    if (isChosen) panel.removeAttribute('hidden')
    else panel.setAttribute('hidden', 'until-found')
  }
}

/** Selects the tabs around an element. */
function reveal(element) {
  for (let tab = element?.closest('.switched'); tab; tab = tab.parentElement.closest('.switched')) {
    select(document.getElementById(tab.getAttribute('aria-labelledby')))
  }
}

/** Selects the tabs around the element that the fragment of the URL names. */
function revealTarget() {
  const target = document.querySelector(':target')
  if (!target?.closest('.switched[hidden]')) return
  reveal(target)
  target.scrollIntoView()
}

function moveTo(event, hit, field) {
  const hits = [...document.querySelectorAll('.hit')]
  const next = hits[(hit ? hits.indexOf(hit) : -1) + (event.key === 'ArrowDown' ? 1 : -1)]
  if (hit === null && event.key === 'ArrowUp') return
  event.preventDefault()
  if (next) {
    next.querySelector('h2 a').focus()
    next.scrollIntoView({ block: 'nearest' })
  } else if (event.key === 'ArrowUp') field?.focus()
}

/**
 * A click on a hit opens its page, unless it is on a control or ends a selection of text. The hit
 * that was left is kept with the entry of the history.
 */
function openHit(event) {
  const hit = event.target.closest?.('.hit')
  if (!hit || event.defaultPrevented) return
  if (event.target.closest('a')) history.replaceState({ hit: hit.dataset.href }, '')
  if (event.target.closest('a, button, summary, .why')) return
  if (getSelection()?.toString()) return
  history.replaceState({ hit: hit.dataset.href }, '')
  if (event.ctrlKey || event.metaKey) window.open(hit.dataset.href, '_blank', 'noopener')
  else location.assign(hit.dataset.href)
}

/** Who goes back to a search is at the hit from which they left, not in the field. */
function focusLastHit() {
  const [{ type } = {}] = performance.getEntriesByType('navigation')
  // The browser focuses the field before the first frame, and says so where it cannot.
  if (type === 'back_forward') requestAnimationFrame(() => focusHit(history.state?.hit))
}

function focusHit(href) {
  const hit = [...document.querySelectorAll('.hit')].find((one) => one.dataset.href === href)
  hit?.querySelector('h2 a').focus()
}

/** Whether a paragraph is nothing but code, such as the signatures of an API page. */
function isSignature(text) {
  return [...text.childNodes].every((node) =>
    node.nodeType === Node.TEXT_NODE ? node.data.trim() === '' : node.matches('code, br'))
}

function addCopyButton(code) {
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'quiet', textContent: 'Copy' })
  button.dataset.copy = code.textContent
  const box = document.createElement('div')
  box.className = 'code'
  code.replaceWith(box)
  box.append(code, button)
}

async function copy(event) {
  const button = event.target.closest?.('[data-copy]')
  if (!button) return
  button.dataset.name ??= button.textContent
  const isCopied = await navigator.clipboard.writeText(button.dataset.copy)
    .then(() => true, () => false)
  button.textContent = isCopied ? 'Copied' : 'The browser forbids it'
  setTimeout(() => (button.textContent = button.dataset.name), 2000)
}
