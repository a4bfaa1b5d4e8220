// The script of the lesson of a class: it shows what the student has done, with the key and the form of requests.js. The
// host serves this file unchanged.

const REFRESH_MS = 4000
const section = document.getElementById('progress')
const list = document.getElementById('exercises')
const stateTexts = { open: 'not started', tried: 'started', done: 'done' }
let shownText = ''

async function refresh() {
  if (key === '') return askForKey('')
  const headers = { Authorization: `Bearer ${key}` }
  const response = await fetch(section.dataset.control, { headers }).catch(() => undefined)
  if (response?.status === 401) {
    // A wrong key is not sent again and again: the host limits them for the whole class.
    key = ''
    return askForKey('This is not the key of your sandbox.')
  }
  if (!response?.ok) {
    keyStatus.textContent = 'The host does not respond. What you have done is kept.'
    return
  }
  const text = await response.text()
  keyStatus.textContent = ''
  keyForm.hidden = true
  if (text === shownText) return
  shownText = text
  list.replaceChildren(...JSON.parse(text).exercises.map(exerciseItem))
}

function exerciseItem({ title, state, met, of, hint }) {
  const item = document.createElement('li')
  item.className = state
  const parts = state === 'tried' ? `, ${met} of ${of} parts` : ''
  item.textContent = `${state === 'done' ? '✓ ' : ''}${title}: ${stateTexts[state]}${parts}`
  if (hint !== undefined) {
    const details = document.createElement('details')
    const summary = document.createElement('summary')
    summary.textContent = 'Hint'
    details.append(summary, hint)
    item.append(details)
  }
  return item
}

keyForm.addEventListener('submit', refresh)
refresh()
setInterval(refresh, REFRESH_MS)
