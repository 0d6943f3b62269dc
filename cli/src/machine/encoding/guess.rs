//! Which letters a file most likely has. Nobody relies on it: a person is shown the result, and asked.

use super::charset::Charset;

/// What is tried, the likeliest first, each with the letters beyond ASCII of languages that are written so.
const CANDIDATES: &[(&str, &[&str])] = &[
    ("windows-1252", WESTERN),
    ("windows-1250", CENTRAL),
    ("windows-1251", CYRILLIC),
    ("windows-1253", &["αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"]),
    ("windows-1254", &["çğıöşüâî"]),
    ("windows-1257", &["ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"]),
    ("macintosh", WESTERN),
    ("cp850", WESTERN),
    ("cp852", CENTRAL),
    ("cp866", CYRILLIC),
    ("koi8-r", CYRILLIC),
];

const WESTERN: &[&str] = &[
    "äöüß",
    "àâæçéèêëîïôœùûüÿ",
    "áéíñóúü",
    "áâãàçéêíóôõú",
    "åäöæøé",
    "àèéìíîòóùú",
    "áéëïóúüö",
];
const CENTRAL: &[&str] = &[
    "áčďéěíňóřšťúůýž",
    "áäčďéíĺľňóôŕšťúýž",
    "ąćęłńóśźż",
    "áéíóöőúüű",
    "čćđšž",
    "ăâîșțşţ",
    "äöüß",
];
const CYRILLIC: &[&str] = &["абвгдежзийклмнопрстуфхцчшщъыьэюяёєіїґў"];

/// So many of a hundred letters beyond ASCII must be of one language: names are of several.
const LEAST: usize = 75;

/// The charset in which most letters are of one language, and stand as they do in words; `None` where none is likely.
pub fn likeliest(bytes: &[u8]) -> Option<Charset> {
    // Only old Macs end a line like this.
    let is_mac = bytes.contains(&b'\r') && !bytes.contains(&b'\n');
    let mut best = None;
    for (name, languages) in CANDIDATES {
        let Some((charset, text)) =
            Charset::named(name).and_then(|charset| Some((charset, charset.decode(bytes)?)))
        else {
            continue;
        };
        let share = share_of(&text, languages);
        if is_mac && *name == "macintosh" && share >= LEAST {
            return Some(charset);
        }
        if best.is_none_or(|(most, _)| share > most) {
            best = Some((share, charset));
        }
    }
    let (_, charset) = best.filter(|(share, _)| *share >= LEAST)?;
    Some(charset)
}

/// How many of a hundred letters beyond ASCII are of the one language that has most of them.
fn share_of(text: &str, languages: &[&str]) -> usize {
    let is_control = |c: char| c.is_control() && !c.is_ascii();
    if text.contains(is_control) {
        return 0;
    }
    let letters = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic());
    let letters = letters.count() + oddities(text);
    let fits = languages.iter().map(|language| fit(text, language)).max();
    (100 * fits.unwrap_or_default())
        .checked_div(letters)
        // Signs alone tell nothing: what is tried first has them.
        .unwrap_or(LEAST)
}

/// How often a sign stands where a letter should, or a capital where a small one should.
fn oddities(text: &str) -> usize {
    /// What may stand directly behind a word.
    const BEHIND_WORDS: &str = "’”“»–—…®™°€²³";
    let pairs = text.chars().zip(text.chars().skip(1));
    let is_odd = |(before, letter): &(char, char)| {
        let is_half_letter = "[]{}|\\^`~".contains(*letter) && !before.is_ascii();
        let is_sign = !letter.is_ascii() && !letter.is_alphabetic() || is_half_letter;
        let is_capital = letter.is_ascii_uppercase() && !before.is_ascii();
        before.is_alphabetic() && is_sign && !BEHIND_WORDS.contains(*letter)
            || before.is_lowercase() && is_capital
    };
    pairs.filter(is_odd).count()
}

/// How many of the letters beyond ASCII are of the language, and no capitals inside of words.
fn fit(text: &str, language: &str) -> usize {
    let mut before = ' ';
    let mut count = 0;
    for letter in text.chars() {
        let is_odd_capital = before.is_lowercase() && letter.is_uppercase();
        if !letter.is_ascii() && !is_odd_capital {
            let small = letter.to_lowercase().next().unwrap_or(letter);
            count += usize::from(language.contains(small));
        }
        before = letter;
    }
    count
}
