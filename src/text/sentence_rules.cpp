#include "text/sentence_rules.h"

#include <map>
#include <string>

#include "base/strings.h"

namespace heed::text {
namespace {

/// The words of SentenceRules between blanks.
struct Lists {
  std::string_view codes, never, numbered, may, begin;
  bool ordinals = false;
};

constexpr Lists kLists[] = {
    {.codes = "de deu ger gsw ltz lb",
     .never = "abzgl allg bspw bzw ca d.h dipl dr evtl exkl fr geb ggf h hl hr hrn ing inkl insb "
              "med nat phil prof rer sog st u.a v vgl z z.b z.t zzgl",
     .numbered = "abb abs anl art bd gl kap max nr nrn rn rz s tab ziff",
     .may = "apr aug chr co corp dez etc feb inc jan jh jr jul jun ltd mio mrd mär nov okt sept "
            "str tel usw",
     .begin =
         "aber als am an auch auf bei bis da damit dann das dem den denn der des die dies diese "
         "dieser dieses doch durch ein eine einem einen einer er es für gegen hier ich ihr ihre "
         "im in ist jedoch man mit nach nicht noch nun nur ob obwohl sein seine seit sie so trotz "
         "um und unter viele vom von vor während was weil wenn wer wie wir wo zu zum zur zwar "
         "zwischen über",
     .ordinals = true},
    {.codes = "en eng",
     .never = "adm approx capt cf col cpl dept dr e.g ft gen gov hon i.e lt maj messrs mr mrs ms "
              "mt pres prof rep rev sen sens sgt st univ v viz vs",
     .numbered =
         "art arts ch chap chaps eq eqn eqs fig figs no nos p para paras pp ref refs sec secs "
         "sect vol vols",
     .may = "al apr aug ave bros co corp dec etc feb inc jan jr jul jun llc ltd mar nov oct sep "
            "sept sr",
     .begin =
         "a after all also although an and as at both but by during even for from he her his how "
         "however i if in it its many most my no not now of on one only our she since so some "
         "still such that the their then there these they this those to under we what when where "
         "while who why with yet you"},
    {.codes = "es spa glg gl cat ca",
     .never = "av d dr dra dña ee gral ing lic p.ej prof sr sra sres srta st sta sto ud uds",
     .numbered = "apdo art arts cap ec fig figs n núm p pág págs párr vol",
     .may = "a.c cía co corp d.c etc inc jr ltd uu",
     .begin =
         "a al aunque como con cuando de desde después el ella ellos en entre es esta este esto la "
         "las lo los más muchos no para pero por que se según si sin sobre su sus también tras un "
         "una y ya"},
    {.codes = "fr fra fre",
     .never = "av bd c cf dr m me mgr mlle mlles mm mme mmes p.ex pr st ste v",
     .numbered = "al art chap fig n no p par pp vol",
     .may = "avr co corp déc etc févr inc janv jr juil ltd nov oct sept",
     .begin = "après au aux avec c' ce ces cette cela comme d' dans de depuis des du elle elles en "
              "et il "
              "ils j' je l' la le les leur mais même nous on or par pas pour puis quand que qui sa "
              "selon "
              "ses si son sur tous tout un une vous à"},
    {.codes = "it ita",
     .never =
         "arch avv cav cfr dott dr dssa es gen geom ill ing mons on prof rag sen sig sigg sigra "
         "sr ss st v vs",
     .numbered = "art artt cap fig n nn num p pag pagg pp tel vol",
     .may = "a.c co corp d.c ecc etc inc jr ltd",
     .begin =
         "a al alla anche ancora c' che chi ci come con così da dal dalla del della di dopo e era "
         "gli ha i il in io l' la le lo ma molti nel nella noi non ogni per perché più poi quando "
         "questa questo se secondo si sono su sua suo tra tutti un un' una è"},
    {.codes = "pt por",
     .never = "arq av dr dra drs eng exmo pe prof profa profª sr sra sras srs srta st sta sto",
     .numbered = "art cap fig n nº núm p pág págs pp tel vol",
     .may = "a.c cia co corp d.c etc inc jr ltd ltda",
     .begin =
         "a ao as após até com como da de depois do e ela elas ele eles em embora entre era essa "
         "esse esta este eu foi há isso isto já mais mas muitos na no não nos o os para por porque "
         "quando que se segundo seu sua também um uma você é"},
    {.codes = "ro ron rum",
     .never = "dl dlui dna dr gen ing prof sf st",
     .numbered = "alin art cap fig nr p pag pct vol",
     .may = "co corp etc inc jr ltd ș.a",
     .begin = "a acest această ai am ar au aceasta care ca ce cu când dar de deși din după ea ei "
              "el este "
              "eu fără în la mai nu o pe pentru prin se sunt un și"},
    {.codes = "nl nld dut",
     .never =
         "bijv blz ca dhr dr drs evt ing ir jhr mej mevr mr mrs mw nl o.a prof resp st t.a.v vgl "
         "zgn",
     .numbered = "afb art blz fig hfst nr nrs p pag tel",
     .may = "a.d bv co corp enz etc inc jr ltd nv",
     .begin =
         "als alle al ook maar de dat deze die dit door een en er hij het hoe hun ik in is ja je "
         "kan met mijn na naar niet nu of om omdat onze op over sinds te toen tot uit van veel "
         "voor "
         "waar wanneer want wat we wie wij ze zij zo zijn"},
    {.codes = "af afr",
     .never = "bv dr ds mej mev mnr prof sgt st",
     .numbered = "bl nr",
     .may = "bpk co corp edms ens inc jr ltd",
     .begin =
         "al as by die dit 'n daar dan dat en ek hier hoe hulle hy in is jy maar met na nie nou "
         "om ons op sy toe van vir wanneer wat"},
    {.codes = "sv swe",
     .never = "bl.a ca d.v.s dr dvs ev fr hr kl m.fl max min mr mrs prof resp s.k st t.ex",
     .numbered = "bil fig kap nr s sid tel",
     .may = "co corp etc inc jr ltd m.m osv",
     .begin =
         "alla att av de den det detta då efter en ett för från han hon hur i inte jag man med men "
         "nu när och om på så som under vad var vi vid är än även"},
    {.codes = "da dan no nob nno nb nn nor fo fao",
     .never = "bl.a ca d.v.s dr dvs evt fr frk f.eks hr kl maks min mr mrs prof sct st st.prp",
     .numbered = "fig kap nr s tlf",
     .may = "co corp etc inc jr ltd mfl mht mio mia mv osv",
     .begin =
         "alle at av da de den der det dette eller en er et etter efter for fra ham han har hun "
         "hvad hva hvor i ikke jeg man med men mens nu nå når og om på så som til var vi ved"},
    {.codes = "is isl ice",
     .never = "dr fr hr kl m.a mr mrs nk prof sr st sbr t.d",
     .numbered = "bls nr tbl",
     .may = "co corp hf inc jr ltd o.fl o.s.frv",
     .begin = "að af á eftir ef ekki en er ég fyrir hann hún hvað í með og sem það þá þegar þeir "
              "þessi þetta við"},
    {.codes = "fi fin",
     .never = "dr esim ent mm mr mrs ns prof t.s tms tri ts vrt st",
     .numbered = "kpl nro s",
     .may = "co corp inc jr jne klo ltd ym yms",
     .begin =
         "ei he hän hänen ja jos kun kuten me mutta myös ne niin nyt on se sen siellä tämä tämän "
         "vaikka minä sitten"},
    {.codes = "et est",
     .never = "dr hr jt mr mrs nn pr prof st sh u vt näit",
     .numbered = "lk nr",
     .may = "co corp inc jne jr ltd",
     .begin =
         "aga ja kui kuid kuigi ma me mis nad need nii on pärast sealt see selle seda ta tema"},
    {.codes = "lv lav",
     .never = "dr kgz mr mrs piem plkst prof sv t.i t.sk u.c vs",
     .numbered = "lpp nr",
     .may = "co corp inc jr ltd utt u.tml",
     .begin = "bet es ja kad lai man mēs no pēc šis šī tad tas tā tie un viņa viņš viņi",
     .ordinals = true},
    {.codes = "lt lit",
     .never = "angl dr gen inž kun mr mrs p plg proc prof pvz šv t.y vad žr",
     .numbered = "nr pav psl",
     .may = "co corp inc jr kt ltd m mlrd mln pan t.t",
     .begin = "aš bet ir iš jei ji jie jis jo ją kai kaip kad mes ne nors o po pasak tai tada šis "
              "ši ši"},
    {.codes = "pl pol",
     .never =
         "al bp bł dr gen hab im inż ks kard kpt lek m.in mec mgr mjr ds np o os p pl płk por prof "
         "pt red sp św śp tj tzw ul ur wg zm zob",
     .numbered = "art fig godz nr par pkt poz rozdz rys s str tab tel",
     .may = "co corp etc inc itd itp jr ltd m mld mln n.e oo r tys w wz zł",
     .begin =
         "a ale by był była było były czy dla dlatego do gdy i ich jak jako jednak jego jej jest "
         "jeśli już kiedy ktoś który lecz mimo my na nie o od on ona oni po podczas pod przed sam "
         "są "
         "ta tak tam te tego ten to tylko w we wszyscy z za ze że"},
    {.codes = "cs ces cze sk slk slo",
     .never = "apod arch ap atd bc cca čl dr doc gen hl hod ing inž judr kpt mgr mjr mr mrs mudr "
              "napr např nar odd odst p paeddr phdr plk por prof resp rndr sv tj tzv tzn ul viz",
     .numbered = "č čl fig kap obr par str tab tel",
     .may = "a.s co corp hod inc jr kč ltd mil mld min o.z r roč s.r.o st tis",
     .begin = "a ale aby ako ani bol bola by byl byla co do i já jak je jeho její jej jen kdy keď "
              "keďže když "
              "který který my na nebo ne o od oni po pod podľa podle pre pri pro pokud protože "
              "před před "
              "s sa se si sme som tak také ten to tato v ve však z za že"},
    {.codes = "sl slv",
     .never = "dr dipl ga g gdč gen inž itd ipd mag mr mrs npr oz prof sv št t.i tj tim ur",
     .numbered = "čl sl str tel",
     .may = "co corp d.d d.o.o inc jr ltd",
     .begin =
         "a ali ampak bil bila da do in iz ja je ko ker mi na ne o od oni po pred s se si so ta to "
         "toda tudi v vendar z za če"},
    {.codes = "hr hrv bs bos sr srp sh hbs",
     .never =
         "dipl dr g gđa gđica gen ing inž itd mr mrs npr odn prof sv tj tzv ul г др ген инж мр нпр "
         "проф св тј тзв",
     .numbered = "br čl sl str tel бр стр чл",
     .may = "co corp d.d d.o.o god inc jr ltd mil mln mlrd год мил млн млрд",
     .begin =
         "a ali ako bio bila da do dok i iako ima iz je jer kada kako kao mi na ne nije no o od on "
         "ona oni ova ovo po prema s sa se su ta tada to u ustvari uz za а али ако био била да до "
         "док "
         "и иако има из је јер када како као ми на не није о од он она они ова ово по према с са "
         "се су "
         "та тада то у уз за"},
    {.codes = "hu hun",
     .never = "db dr gr ifj id kb kft mr mrs ms pl prof ra st sz szt tel ún vö özv",
     .numbered = "fsz o old",
     .may = "bp co corp inc jr ltd stb zrt",
     .begin =
         "a az azt azonban az egy és ez ezt ezek de ha hogy igen így már még mert mi miért míg "
         "mikor nem ő ők őt úgy"},
    {.codes = "bg bul mk mkd",
     .never = "акад арх в г-жа г-н ген гр д-р доц инж напр о проф р св сп т.нар т.е тел ул",
     .numbered = "арт бр вж гл л пар рис с стр т табл фиг чл",
     .may = "др и.др млн млрд т.н т.н.т хил",
     .begin =
         "а ако без беше в все във въпреки да до докато един за и им като когато който към ли "
         "между много на не ние но няма от по повече под преди през при с само се след според със "
         "той това този те тези тя това че ще я"},
    {.codes = "ru rus uk ukr be bel",
     .never =
         "акад англ в г-жа г-н ген гг гл гр д-р др др им ім инж напр о пер пл пос пр просп проф "
         "св сп ст стр т т.е т.к т.н тел ул вул б-р м р",
     .numbered = "в илл кн л п пп рис с ст стр т табл тт ч",
     .may = "вв г гг д др е коп куб л л.с млн млрд мин н н.э нац пр проч р руб рр сек т.д т.п т.ін "
            "тис "
            "тыс х ч э і.т.д год грн",
     .begin =
         "а але би без больше был была было были в во вот все всё він вона вони все де для до если "
         "ещё еще за з и из или их й його к когда как каждый которые кто мы ми ми на не нет но о "
         "об он "
         "она они от по под после потом поэтому при с со та так также там то только у уже хотя це "
         "ця "
         "цей что чтобы це эта эти это этот я як якщо і із її їх є той те тя се но ние това тази "
         "този "
         "той тя аз ако"},
    {.codes = "el ell gre",
     .never = "αγ αι αρ αριθ βλ γεν δηλ δρ ενδ κ κα καθ κκ κος λ.χ μ.μ π.μ π.χ πρβλ σ σελ στρ τηλ",
     .numbered = "αρ αριθ άρθρ εικ κεφ σ σελ τ",
     .may = "α.ε δισ εκατ κ.ά κ.λπ κλπ μ.μ μμ μ.χ π.χ πμ",
     .begin =
         "αλλά αν από αυτά αυτή αυτό αυτός για δεν ένα ένας είναι εάν η ήταν θα και κατά με μετά "
         "μια να ο οι όμως όταν ότι πριν σε στη στην στις στο στον τα τη την της τι τις το τον του "
         "τους των ως"},
    {.codes = "tr tur az aze",
     .never = "alb av bkz bşk cad doç dr gen hz jan kur mah müh mr mrs org ord örn prof sn sok st "
              "ş tel vb vs yrd yy",
     .numbered = "no s sf",
     .may = "co corp inc jr ltd şti vb vd vs",
     .begin =
         "ama ancak ayrıca bir biz bu bunlar bunu bunun çünkü da daha de eğer en fakat geçen her "
         "hiç ile o onlar onun onu ve şimdi"},
    {.codes = "id ind ms msa may zsm",
     .never = "bpk dr drs dll dsb hj ibu ir kh kol mr mrs ny prof rep sdr st tn",
     .numbered = "hal hlm jl no tel",
     .may = "co corp inc jr ltd tbk",
     .begin =
         "akan atau bagi dan dalam dari dengan di dia ia ini itu jika kami karena ke kepada ketika "
         "mereka namun pada saat saya sebagai sejak setelah tapi tetapi tidak untuk yang"},
    {.codes = "fil tl tgl",
     .never = "atty bb dr dra engr gen gng gov hen kgg mr mrs ms prof rep sen sgt st sta sto",
     .numbered = "blg no",
     .may = "co corp inc jr ltd sr",
     .begin =
         "ang ayon at bilang dahil habang hindi ilan isa ito kapag kung mga may ngunit noong nang "
         "para pero sa si sinabi siya sila"},
    {.codes = "vi vie",
     .never = "gs mr mrs ms pgs tp ts ths st",
     .numbered = "tr",
     .may = "co corp inc jr ltd v.v",
     .begin = "anh bà các chúng có cô đây đã đó họ khi không một năm nếu nhưng những ông sau theo "
              "tôi trong từ và với"},
    {.codes = "sq sqi alb",
     .never = "dr gjen mr mrs prof sh st znj zt",
     .numbered = "nr f",
     .may = "co corp etj inc jr ltd",
     .begin = "ai ajo ata dhe e edhe është i ishte ka kjo ky kur me më në një nga nuk për por pas "
              "si të u unë"},
    {.codes = "ga gle",
     .never = "dr mr mrs ms prof uas",
     .numbered = "lch uimh",
     .may = "co corp inc jr ltd srl teo",
     .begin = "ach agus an ar bhí dúirt is na ní tá"},
    {.codes = "cy cym wel",
     .never = "dr mr mrs ms prof st",
     .numbered = "rhif t",
     .may = "co corp inc jr ltd",
     .begin = "a ac ar bydd dywedodd er fe mae mi nid ni oedd ond roedd yn yr y"},
    {.codes = "eu eus baq",
     .never = "adib dr dra jn mr mrs prof st",
     .numbered = "or orr zk",
     .may = "co corp etab inc jr ltd",
     .begin = "baina bai eta ez hori horrek hau nik oso"},
    {.codes = "hi hin mr mar ne nep mai bho",
     .never = "डॉ डा प्रो श्री श्रीमती स्व पं मि मिसेज सं कु सुश्री इं ई.पू मो",
     .numbered = "नं पृ सं"},
    {.codes = "bn ben as asm",
     .never = "ডঃ ড ডা প্রো মো মি মিসেস শ্রী মোঃ মোছা অধ্যা",
     .numbered = "নং পৃ"},
    {.codes = "pa pan", .never = "ਡਾ ਸ਼੍ਰੀ ਪ੍ਰੋ ਮਿ ਯੂ ਐਸ ਐੱਸ ਸੇਨ"},
    {.codes = "gu guj", .never = "ડૉ ડો શ્રી પ્રો મિ શ્રીમતી યુ સેન"},
    {.codes = "ta tam", .never = "திரு திருமதி திருமிகு செல்வி டாக்டர் பேரா எஸ் எம் கே"},
    {.codes = "te tel", .never = "డా డాక్టర్ శ్రీ ప్రొ శ్రీమతి యు మి"},
    {.codes = "kn kan", .never = "ಡಾ ಶ್ರೀ ಪ್ರೊ ಮಿ ಶ್ರೀಮತಿ ಯು"},
    {.codes = "ml mal", .never = "ഡോ ശ്രീ പ്രൊഫ മി"},
    {.codes = "ar ara arb", .never = "أ د م أ.د ص.ب", .numbered = "ص رقم ج"},
};

}  // namespace

const SentenceRules& sentence_rules(std::string_view language) {
  static const SentenceRules any{};
  static const auto all = [] {
    std::map<std::string, SentenceRules, std::less<>> out;
    for (const Lists& lists : kLists)
      for (const std::string& code : word_set(lists.codes))
        out[code] = {word_set(lists.never), word_set(lists.numbered), word_set(lists.may),
                     word_set(lists.begin), lists.ordinals};
    return out;
  }();
  const auto found = all.find(ascii_lower(language.substr(0, language.find_first_of("-_"))));
  return found == all.end() ? any : found->second;
}

}  // namespace heed::text
