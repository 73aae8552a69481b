/* The start, and handlers for choosing another program and for changes of the window. */

function showProgramButtons() {
  const choices = data.compilations.flatMap((self, c) => self.programs.map((one, p) => [c, p, one]));
  if (choices.length < 2) return;
  byId('programs').replaceChildren(...choices.map(([c, p, one]) => {
    const options = data.compilations.length > 1 ? `${data.compilations[c].options || 'default options'}: ` : '';
    const button = make('button', {type: 'button', 'aria-pressed': c === shown.compilation && p === shown.program}, options + one.part);
    button.addEventListener('click', () => {
      shown.compilation = c;
      shown.program = p;
      showAll();
    });
    return button;
  }));
}

function showDrawings() {
  showPressure();
  showTimeline();
  markDrawings(active ? relatedCode(active) : -1);
}

function showAll() {
  showTitle();
  showProgramButtons();
  showCards();
  showUnits();
  showDifference();
  showGraph();
  showListing();
  showTimeButtons();
  showReasons();
  showDrawings();
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  pinned = false;
  look(null);
});
let resized = 0;
window.addEventListener('resize', () => {
  clearTimeout(resized);
  resized = setTimeout(showDrawings, 150);
});
chooseColumns();
showAll();
document.documentElement.dataset.ready = 'yes';
