//! `ufw status` in the languages that ufw is translated to (E13).

use crate::bench::Bench;
use crate::firewall::ingest;

/// What ufw says where it is off, where it is on, and of its policies; the headings.
type Language = [&'static str; 6];

/// Every language that ufw 0.36.2 has words of its own in.
const LANGUAGES: [(&str, Language); 24] = [
    (
        "ast",
        [
            "Estáu: inactivu",
            "Estáu: activu",
            "Default",
            "A",
            "Aición",
            "Dende",
        ],
    ),
    (
        "bs",
        [
            "Status:neaktivno",
            "Status: aktivan",
            "Default",
            "Za",
            "Radnja",
            "Od",
        ],
    ),
    (
        "ca",
        [
            "Estat: inactiu",
            "Status: active",
            "Default",
            "A",
            "Acció",
            "Des de",
        ],
    ),
    (
        "cs",
        [
            "Stav: neaktivní",
            "Stav: aktivní",
            "Výchozí",
            "Do",
            "Akce",
            "Od",
        ],
    ),
    (
        "de",
        [
            "Status: inactive",
            "Status: active",
            "Voreinstellung",
            "Zu",
            "Aktion",
            "Von",
        ],
    ),
    (
        "el",
        [
            "Κατάσταση: ανενεργό",
            "Κατάσταση: ενεργό",
            "Default",
            "Προς",
            "Ενέργεια",
            "Από",
        ],
    ),
    (
        "es",
        [
            "Estado: inactivo",
            "Estado: activo",
            "Predeterminado",
            "Hasta",
            "Acción",
            "Desde",
        ],
    ),
    (
        "et",
        [
            "Staatus: väljas",
            "Staatus: aktiivne",
            "Default",
            "To",
            "Tegevus",
            "From",
        ],
    ),
    (
        "fi",
        [
            "Tila: passiivinen",
            "Tila: käytössä",
            "Default",
            "Vastaanottaja",
            "Toiminto",
            "Lähettäjä",
        ],
    ),
    (
        "fr",
        [
            "État\u{a0}: inactif",
            "État\u{a0}: actif",
            "Default",
            "Vers",
            "Action",
            "De",
        ],
    ),
    (
        "hu",
        [
            "Status: inactive",
            "Status: active",
            "Alapértelmezett",
            "Címzett",
            "Művelet",
            "Feladó",
        ],
    ),
    (
        "it",
        [
            "Stato: inattivo",
            "Stato: attivo",
            "Predefinito",
            "A",
            "Azione",
            "Da",
        ],
    ),
    (
        "nb",
        [
            "Status: inaktiv",
            "Status: aktiv",
            "Standard",
            "Til",
            "Handling",
            "Fra",
        ],
    ),
    (
        "nl",
        [
            "Status: inactief",
            "Status: actief",
            "Standaardwaarde",
            "Naar",
            "Actie",
            "Van",
        ],
    ),
    (
        "pt",
        [
            "Estado: inativo",
            "Estado: active",
            "Predefinido",
            "Para",
            "Acção",
            "De",
        ],
    ),
    (
        "pt_BR",
        [
            "Estado: inativo",
            "Estado: ativo",
            "Default",
            "Para",
            "Ação",
            "De",
        ],
    ),
    (
        "ro",
        [
            "Stare: inactiv",
            "Stare: activ",
            "Implicit",
            "La",
            "Acțiune",
            "De la",
        ],
    ),
    (
        "ru",
        [
            "Состояние: неактивен",
            "Состояние: активен",
            "Default",
            "В",
            "Действие",
            "Из",
        ],
    ),
    (
        "sk",
        [
            "Stav: neaktívny",
            "Statv: aktívny",
            "Default",
            "Do",
            "Operácia",
            "Od",
        ],
    ),
    (
        "sl",
        [
            "Stanje nedejavno",
            "Stanje: dejavno",
            "Privzeto",
            "Za",
            "Dejanje",
            "Od",
        ],
    ),
    (
        "sv",
        [
            "Status: inaktiv",
            "Status: aktiv",
            "Förval",
            "Till",
            "Åtgärd",
            "Från",
        ],
    ),
    (
        "tr",
        [
            "Durum: etkin değil",
            "Durum: etkin",
            "Öntanımlı",
            "Alıcı",
            "Eylem",
            "Gönderen",
        ],
    ),
    (
        "zh_CN",
        [
            "状态：不活动",
            "状态： 激活",
            "Default",
            "至",
            "动作",
            "来自",
        ],
    ),
    (
        "zh_TW",
        [
            "狀態：不活動",
            "狀態: 啓用",
            "Default",
            "至",
            "動作",
            "來自",
        ],
    ),
];

fn dashes(heading: &str) -> String {
    "-".repeat(heading.chars().count())
}

/// What a verbose status is in a language.
fn status([_, active, policies, to, action, from]: Language) -> String {
    let (first, second, third) = (dashes(to), dashes(action), dashes(from));
    format!(
        "{active}\n{policies}: deny (x), allow (y), disabled (z)\n\n\
         {to:<26} {action:<12}{from}\n{first:<26} {second:<12}{third}\n\
         22/tcp                     LIMIT IN    Anywhere\n\
         3306/tcp                   ALLOW IN    198.51.100.0/24\n\
         443 (v6)                   ALLOW IN    Anywhere (v6)\n"
    )
}

/// The ports that are suggested, and the lines that are skipped; nothing where it is no dump.
fn read(content: &str) -> Option<(Vec<String>, Vec<usize>)> {
    let mut bench = Bench::new();
    let id = bench.provision(42, "203.0.113.10");
    let answer = ingest(&mut bench, id, content, None).ok()?;
    let ports = answer.suggested.iter();
    let ports = ports.map(|rule| rule.range_label.clone()).collect();
    let lines = answer.skipped.iter().map(|skipped| skipped.line);
    Some((ports, lines.collect()))
}

#[test]
fn a_ufw_status_is_read_in_every_language_that_ufw_ships_e13() {
    for (name, language) in LANGUAGES {
        let rules = vec!["22".to_owned(), "443".to_owned()];
        let found = read(&status(language));
        assert_eq!(found, Some((rules, vec![7])), "{name}");
        let [inactive, active, ..] = language;
        // What is off lets everything in, and is told.
        for (alone, told) in [(inactive, vec![1]), (active, Vec::new())] {
            assert_eq!(read(alone), Some((Vec::new(), told)), "{name}: {alone}");
        }
    }
}

#[test]
fn what_only_looks_like_a_status_is_no_dump_e13() {
    assert_eq!(read("Status: unknown"), None);
    assert_eq!(read("To Action From"), None);
}
